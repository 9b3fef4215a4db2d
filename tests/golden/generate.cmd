quadrille generate halo2d:n=4,points=8
