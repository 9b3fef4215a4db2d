quadrille help draw
