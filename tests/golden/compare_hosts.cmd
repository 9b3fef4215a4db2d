quadrille compare complete:n=18,bytes=64 -m infiniband:arity=2 --ranks-per-host 4 -a pairwise,bruck,joined,levels -a levels:3,inside=3 --no-build-time --check
