quadrille stat mesh:n=1,points=100,partition=recursive | grep -E "^(ranks|messages)"
