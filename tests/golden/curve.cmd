quadrille schedule random:n=16,density=0.5,bytes=1K..64K,seed=3 --curve -m cm5
