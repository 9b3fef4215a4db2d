export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
mpirun -n 3 quadrille bench complete:bytes=20K -a default,paced --with mpi-alltoallv,mpi-alltoallv-pairwise,mpi-neighbor,isend,isend-shifted,persistent --changing --repeat 3 --trace "$scratch/bench.json" --json > "$scratch/bench.out" || exit
grep -o '"\(ranks\|verified\|bytes\|method\|repetitions\)": [^,]*' "$scratch/bench.out" | sort | uniq -c
quadrille draw "$scratch/bench.json" | grep -o 'bold">[^:]*' | sort
rm "$scratch"/bench.*
