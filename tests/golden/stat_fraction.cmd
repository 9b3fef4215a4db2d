quadrille stat random:n=64,density=1/32 | head -n 2
