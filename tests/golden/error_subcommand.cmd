# exit 2
quadrille shcedule complete:n=8 -a BEX
