quadrille bench complete --repeat 1 -a default | head -n 1
