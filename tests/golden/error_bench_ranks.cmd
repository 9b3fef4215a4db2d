# exit 2
quadrille bench complete:n=16,bytes=1Ki
