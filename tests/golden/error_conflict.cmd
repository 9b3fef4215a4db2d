# exit 2
quadrille schedule complete:n=8 -a LEX --row 1 --json
