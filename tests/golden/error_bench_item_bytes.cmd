# exit 2
quadrille bench complete:n=4 --item-bytes 0
