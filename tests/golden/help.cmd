quadrille --help
