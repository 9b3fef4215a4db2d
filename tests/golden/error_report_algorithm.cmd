# exit 2
quadrille report paper:P -a paced
