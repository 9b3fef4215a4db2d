quadrille calibrate --help; quadrille help calibrate | cmp - <(quadrille calibrate -h)
