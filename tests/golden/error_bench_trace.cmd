# exit 2
quadrille bench complete:n=1 --trace no/such/folder/trace.json
