# exit 2
quadrille migrate-plan alltoone:n=4,bytes=1K --room 1K
