quadrille schedule paper:P -a GS --row 3
