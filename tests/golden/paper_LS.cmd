quadrille schedule paper:P -a LS
