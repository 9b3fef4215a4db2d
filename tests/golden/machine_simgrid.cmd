quadrille machine cm5 -n 8 --simgrid
