record=advise; trap 'rm -r "$scratch/$record"' EXIT; mkdir "$scratch/$record" && awk -v folder="$scratch/$record" -f record.awk
quadrille advise "$scratch/$record"
