quadrille list algorithms
