# exit 2
quadrille stat mesh:n=200,points=100
