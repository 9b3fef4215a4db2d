quadrille schedule paper:P,bytes=256 -a greedy -m cm5
