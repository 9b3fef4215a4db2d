quadrille compare mesh:n=16,points=2800,bytes=32 -m cm5 --check --no-build-time | tail -n 1 | sed 's,[0-9][0-9]*,N,'
