quadrille bench --help
