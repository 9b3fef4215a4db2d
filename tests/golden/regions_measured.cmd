# Cells from files, as quadrille bench writes them
mkdir "$scratch/cells"; trap 'rm -r "$scratch/cells"' EXIT
axes="-x bytes=64..4Ki -y degree=1..7 --columns 2 --rows 2"
took=1
quadrille regions random:n=8,seed=1 $axes --cells | while read -r file pattern; do
    took=$((took * 2))
    echo "{\"methods\": [{\"method\": \"async\", \"median_seconds\": 0.0$took}, {\"method\": \"paced\", \"median_seconds\": 0.05}]}" > "$scratch/cells/$file"
done
(cd "$scratch" && quadrille regions random:n=8,seed=1 $axes --measured cells)
