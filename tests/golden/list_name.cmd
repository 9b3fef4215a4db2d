quadrille list RS_NH
