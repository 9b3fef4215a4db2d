quadrille schedule --broadcast 8 -a LIB
