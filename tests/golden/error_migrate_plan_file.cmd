# exit 2
quadrille migrate-plan figure3.mtx --room no/such/file
