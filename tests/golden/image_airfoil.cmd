# The picture of README.md is what the command draws today.
quadrille schedule mesh:n=32,points=2800,bytes=32,seed=1 -a greedy -m cm5 --svg "$scratch/airfoil.svg" > "$scratch/airfoil.txt" && cmp "$scratch/airfoil.svg" ../../../docs/images/airfoil-schedule.svg && echo same; rm "$scratch"/airfoil.*
