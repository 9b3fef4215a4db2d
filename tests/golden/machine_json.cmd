quadrille machine hypercube:tau=10us,mu=1ns -n 4 --json
