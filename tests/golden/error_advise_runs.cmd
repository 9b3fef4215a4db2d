# exit 2
record=advise-runs; trap 'rm -r "$scratch/$record"' EXIT; mkdir "$scratch/$record" && awk -v folder="$scratch/$record" -f record.awk
cd "$scratch/$record" && sed -i "2s/8/9/" rank-000007.txt && quadrille advise .
