# exit 2
quadrille stat mesh:n=8,size=3
