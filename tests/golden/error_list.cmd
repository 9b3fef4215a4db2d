# exit 2
quadrille list machines cm6
