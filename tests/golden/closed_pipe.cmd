set +o pipefail; quadrille generate complete:n=400 | head -n 1
