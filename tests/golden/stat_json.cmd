quadrille stat random:n=16,density=0.3,bytes=512,seed=2 --json
