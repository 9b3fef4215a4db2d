quadrille stat zipf:n=10,bytes=4K..400K,seed=3 --ranks-per-host 4
