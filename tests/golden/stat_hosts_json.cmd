quadrille stat complete:n=6,bytes=10 --ranks-per-host 2 --json | tail -n 11
