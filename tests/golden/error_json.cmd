# exit 2
echo '{' | quadrille check paper:P --schedule -
