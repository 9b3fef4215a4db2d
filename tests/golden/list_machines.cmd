quadrille list machines
