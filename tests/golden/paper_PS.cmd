quadrille schedule paper:P -a PS
