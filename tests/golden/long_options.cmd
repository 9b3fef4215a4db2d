quadrille schedule --algorithm=BEX -- complete:n=4; quadrille schedule -aBEX complete:n=4 | cmp - <(quadrille schedule complete:n=4 --algorithm BEX)
