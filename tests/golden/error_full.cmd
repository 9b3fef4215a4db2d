# exit 2
quadrille list > /dev/full
