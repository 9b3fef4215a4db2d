quadrille list algorithms --markdown | head -n 4
