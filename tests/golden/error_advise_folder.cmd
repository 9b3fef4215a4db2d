# exit 2
quadrille advise /none
