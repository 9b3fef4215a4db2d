record=advise-page; trap 'rm -r "$scratch/$record"' EXIT; mkdir "$scratch/$record" && awk -v folder="$scratch/$record" -f record.awk
quadrille advise "$scratch/$record" --page "$scratch/$record/advice.html" --save-patterns "$scratch/$record/patterns" > /dev/null || exit
cd "$scratch/$record" && ls patterns && head -n 3 patterns/site5-pattern1.mtx
quadrille compare patterns/site1-pattern1.mtx -m ethernet -a pairwise --no-build-time | head -n 2
grep -o '"heading":"[^"]*"' advice.html
