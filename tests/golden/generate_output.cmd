quadrille generate paper:P -o "$scratch/p.mtx" && ls "$scratch" && quadrille generate "$scratch/p.mtx" | cmp - "$scratch/p.mtx" && rm "$scratch/p.mtx"
