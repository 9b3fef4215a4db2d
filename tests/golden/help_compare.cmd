quadrille compare --help; quadrille help compare | cmp - <(quadrille compare -h)
