quadrille schedule paper:P -a GS
