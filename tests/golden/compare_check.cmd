quadrille compare random:n=9,density=0.5,seed=1 -m ethernet --check --no-build-time | tail -n 1 | sed 's,[0-9][0-9]*,N,'
