quadrille migrate-plan figure3.mtx --room figure3.room -a greedy --json; quadrille migrate-plan shift:n=3,bytes=10 --room 4 --json
