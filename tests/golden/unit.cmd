quadrille generate random:n=6,degree=2,bytes=256..4Ki,unit=256,seed=2; quadrille generate random:n=6,degree=2,bytes=512..8Ki,unit=512,seed=2 | tail -n 3
