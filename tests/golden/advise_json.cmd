# The first site is enough
record=advise-json; trap 'rm -r "$scratch/$record"' EXIT; mkdir "$scratch/$record" && awk -v folder="$scratch/$record" -f record.awk
quadrille advise "$scratch/$record" --json | sed -n 1,48p
