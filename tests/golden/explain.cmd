quadrille explain zipf:n=16,density=0.5,bytes=64K
