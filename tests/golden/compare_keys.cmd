quadrille compare complete:n=4 -m ethernet -a PEX --json | grep -o '"[a-z_]*":' | tr '\n' ' '; echo
