# exit 2
quadrille schedule complete:n=8 -a LEX -a PEX
