quadrille help advise
