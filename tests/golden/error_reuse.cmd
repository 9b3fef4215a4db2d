# exit 2
quadrille compare complete:n=8 -m cm5 --reuse 0
