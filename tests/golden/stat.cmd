quadrille stat paper:P -m cm5
