# exit 2
quadrille migrate-plan figure3.mtx
