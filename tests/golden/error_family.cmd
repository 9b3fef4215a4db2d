# exit 2
quadrille stat radnom:n=8
