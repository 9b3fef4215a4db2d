# exit 2
quadrille generate paper:P -o nowhere/p.mtx
