# exit 2
quadrille stat
