# exit 2
quadrille stat complete:n=4,bytes=100,unit=64
