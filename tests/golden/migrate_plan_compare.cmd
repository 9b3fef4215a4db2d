quadrille migrate-plan transpose:n=16,bytes=1000 --room 64 --compare -a robust -a robust:first=rank,buffer=10 -a greedy:park=rank -a auto
