record=advise-lines; trap 'rm -r "$scratch/$record"' EXIT; mkdir "$scratch/$record"
printf "quadrille-record\t1\nrank\t0\t1\there\nprogram\t/none\ncomm\t0\t0\t1\t1\nsite\t1\tMPI_Alltoallv\t/none/libmpi.so.40+0x5:x\t/none/app+0x10:solve\nrow\t1\ncall\t0\t1\t1\tplain\t0\t0.5\nend\t1\n" > "$scratch/$record/rank-000000.txt"
quadrille advise "$scratch/$record"
