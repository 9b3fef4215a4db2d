# exit 2
quadrille stat nowhere.mtx
