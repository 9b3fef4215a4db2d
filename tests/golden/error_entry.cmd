# exit 2
quadrille stat entry.mtx
