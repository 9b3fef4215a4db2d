# exit 2
quadrille schedule --broadcast 3,0,3
