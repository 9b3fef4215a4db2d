for m in greedy relaxed auto; do quadrille migrate-plan figure3.mtx --room figure3.room -a $m; done; quadrille migrate-plan complete:n=4,bytes=3 --room 2 -a robust:first=largest,buffer=1
