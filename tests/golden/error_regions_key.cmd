# exit 2
quadrille regions random:n=8,bytes=1 -m ethernet
