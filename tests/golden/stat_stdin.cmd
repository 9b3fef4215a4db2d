quadrille generate paper:P | quadrille stat - | tail -n +2 | diff - <(quadrille stat paper:P | tail -n +2) && echo the same
