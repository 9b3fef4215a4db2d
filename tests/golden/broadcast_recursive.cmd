quadrille schedule --broadcast=3,0,1,7,6 -a REB --bytes 1Ki -m cm5
