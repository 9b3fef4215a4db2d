# The files and patterns of all cells
quadrille regions random:n=8,seed=1 -x bytes=64..4Ki -y degree=1..7 --columns 2 --rows 2 --cells
