# exit 2
quadrille bench complete:n=4 --with mpi-alltoallv,tcp
