# exit 2
quadrille regions random:n=8 -m ethernet -x bytes
