for m in greedy relaxed auto; do quadrille migrate-plan figure3.mtx --room figure3.room -m $m; done; quadrille migrate-plan complete:n=4,bytes=3 --room 2 -m robust:first=largest,buffer=1
