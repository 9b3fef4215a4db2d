quadrille machine cm5
