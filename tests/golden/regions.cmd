quadrille regions random:n=16,seed=1 -m cm5 --columns 5 --rows 4 --no-build-time
