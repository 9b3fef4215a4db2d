quadrille migrate-plan transpose:n=16,bytes=1000 --room 64 --compare -m robust -m robust:first=rank,buffer=10 -m greedy:park=rank -m auto
