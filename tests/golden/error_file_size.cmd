# exit 2
cd "$scratch" && trap 'ls' EXIT && ulimit -f 1 && quadrille generate complete:n=60 -o big.mtx
