# exit 2
quadrille draw small.mtx
