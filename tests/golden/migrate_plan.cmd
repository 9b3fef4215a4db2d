quadrille migrate-plan figure3.mtx --room figure3.room
