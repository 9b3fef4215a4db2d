# exit 2
quadrille bench complete:n=1 -a none
