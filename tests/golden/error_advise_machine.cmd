# exit 2
record=advise-error-machine; trap 'rm -r "$scratch/$record"' EXIT; mkdir "$scratch/$record" && awk -v folder="$scratch/$record" -f record.awk
quadrille advise "$scratch/$record" -m nonsense
