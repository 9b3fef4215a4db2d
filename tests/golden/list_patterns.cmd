quadrille list patterns
