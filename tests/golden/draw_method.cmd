quadrille draw trace.json --method paced -o "$scratch/draw.svg" && grep -c "<path" "$scratch/draw.svg"; rm "$scratch/draw.svg"
quadrille draw --method=isend,paced trace.json | grep -E "weight|rank 2" | cut -c1-90
