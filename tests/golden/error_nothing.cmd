# exit 2
quadrille
