# exit 2
quadrille schedule shift:n=3 -a coloring --json | quadrille draw -
