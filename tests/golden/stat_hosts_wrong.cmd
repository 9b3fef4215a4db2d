# exit 2
quadrille stat paper:P --ranks-per-host none
