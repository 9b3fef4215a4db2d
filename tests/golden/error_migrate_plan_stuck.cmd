# exit 2
printf "0 0 1\n" | quadrille migrate-plan figure3.mtx --room - -a robust
