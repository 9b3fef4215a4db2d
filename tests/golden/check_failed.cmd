# exit 1
quadrille schedule paper:P -a GS --json | quadrille check paper:P,bytes=7 --schedule -
