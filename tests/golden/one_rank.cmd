quadrille schedule complete:n=1 -a coloring; quadrille compare complete:n=1 -m ethernet --no-build-time -a async,coloring
