# rank 6 died while it wrote, the file of rank 2 is lost
record=advise-broken; trap 'rm -r "$scratch/$record"' EXIT; mkdir "$scratch/$record" && awk -v folder="$scratch/$record" -f record.awk
cd "$scratch/$record" && rm rank-000002.txt && head -c 2000 rank-000006.txt > cut && mv cut rank-000006.txt
quadrille advise . | head -n 10
