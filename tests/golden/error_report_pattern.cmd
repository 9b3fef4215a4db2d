# exit 2
quadrille report banner.mtx -o "$scratch/none.html"; code=$?; ls "$scratch"; exit $code
