# exit 2
quadrille generate complete:n=2 -o /dev/full
