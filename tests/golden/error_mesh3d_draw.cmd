# exit 2
quadrille generate mesh3d:n=8,points=500 --draw "$scratch/m.svg"
