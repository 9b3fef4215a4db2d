quadrille migrate-plan complete:n=1 --room 0; echo "0 0 0" | quadrille migrate-plan random:n=3,density=0 --room - -a auto
