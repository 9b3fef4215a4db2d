quadrille schedule shift:n=3,bytes=7 -a coloring --json
