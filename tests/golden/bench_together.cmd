export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
mpirun -n 3 quadrille bench complete:bytes=20K -a default,paced --changing --together 2 --late 2 --repeat 3 --warmup 0 --json > "$scratch/bench.out" || exit
grep '"verified"' "$scratch/bench.out"
awk '{ gsub(/,/, "") }
    /"first":/ { first = $2 }
    /"samples":/ { getline; gsub(/,/, ""); print "first among the samples:", ($1 == first), "late:", (first >= 0.002) }' "$scratch/bench.out"
rm "$scratch"/bench.*
