quadrille schedule complete:n=8 -a LEX
