quadrille --version
