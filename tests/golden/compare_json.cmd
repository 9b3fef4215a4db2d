quadrille compare complete:n=8,bytes=1Ki -m cm5 -a LEX,PEX -a random:seed=2 --no-build-time --json
