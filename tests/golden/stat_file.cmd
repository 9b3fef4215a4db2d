quadrille stat small.mtx
