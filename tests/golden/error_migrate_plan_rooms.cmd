# exit 2
printf "1\n2\n" | quadrille migrate-plan figure3.mtx --room -
