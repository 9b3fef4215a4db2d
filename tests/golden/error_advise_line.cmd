# exit 2
record=advise-line; trap 'rm -r "$scratch/$record"' EXIT; mkdir "$scratch/$record" && awk -v folder="$scratch/$record" -f record.awk
cd "$scratch/$record" && sed -i "9s/plain.*/plain\t0\tfast/" rank-000003.txt && quadrille advise .
