# exit 2
cd "$scratch" && mkdir empty && trap 'rmdir "$scratch/empty"' EXIT && quadrille advise empty
