quadrille schedule paper:P -a BS
