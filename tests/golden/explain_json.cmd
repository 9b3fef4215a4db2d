quadrille explain random:n=8,density=0.5,bytes=1Ki,seed=1 -m cm5 --no-build-time --json -a pairwise,paced,coloring
