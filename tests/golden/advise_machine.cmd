record=advise-machine; trap 'rm -r "$scratch/$record"' EXIT; mkdir "$scratch/$record" && awk -v folder="$scratch/$record" -f record.awk
quadrille advise "$scratch/$record" -m crossbar:tau=10us,rate=1Gbit/s
