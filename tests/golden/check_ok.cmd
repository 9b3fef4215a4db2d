quadrille check complete:n=8 -a BEX
