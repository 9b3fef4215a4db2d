# exit 2
quadrille migrate-plan figure3.mtx --room 1 -m greedy -m robust --svg x.svg
