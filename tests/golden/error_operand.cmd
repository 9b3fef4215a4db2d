# exit 2
quadrille stat complete:n=8 complete:n=9
