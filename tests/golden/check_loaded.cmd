quadrille schedule paper:P -a GS --json | quadrille check paper:P --schedule -
