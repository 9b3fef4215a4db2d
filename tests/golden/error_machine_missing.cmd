# exit 2
quadrille compare complete:n=8
