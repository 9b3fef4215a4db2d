quadrille explain complete:n=16,bytes=8 -m ethernet --no-build-time -a pairwise,recursive,paced,async
