quadrille schedule complete:n=6,bytes=10 -a recursive --row 5
