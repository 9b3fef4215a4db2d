# exit 2
quadrille stat complete:n=8 --jsn
