# What concerns collective calls stands in the heading and beside their time; what concerns the launch or the log does not.
told() { quadrille bench complete --repeat 1 -a none --with mpi-alltoallv,isend 2> "$scratch/told.err" | grep -oE "coll_tuned[^ ,]*|pmix|LOG|MPI's own choice"; }
OMPI_MCA_coll_tuned_alltoallv_algorithm=2 OMPI_MCA_pmix_x=1 UCX_LOG_LEVEL=error told
told
rm "$scratch/told.err"
