quadrille compare complete:n=8,bytes=0 -m cm5 --check --no-build-time
