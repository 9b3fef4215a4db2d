# exit 2
quadrille stat valueless.mtx
