# exit 2
quadrille calibrate
