quadrille explain --help; quadrille help explain | cmp - <(quadrille explain -h)
