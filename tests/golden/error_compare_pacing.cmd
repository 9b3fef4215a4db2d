# exit 2
quadrille compare zipf:n=16 -m crossbar --pacing foo; quadrille compare zipf:n=16 -m crossbar --pacing grants -a coloring
