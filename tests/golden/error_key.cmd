# exit 2
quadrille stat random:n=8,densty=0.5
