# exit 2
quadrille migrate-plan figure3.mtx --room 1 -a greedy:first=last
