# exit 2
quadrille stat complete:n=eight
