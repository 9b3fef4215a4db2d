# exit 2
quadrille stat complete:n=8 -m cm6
