quadrille regions --help; quadrille help regions | cmp - <(quadrille regions -h)
