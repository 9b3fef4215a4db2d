# exit 2
printf "1 2\n3 4\n" | quadrille migrate-plan figure3.mtx --room -
