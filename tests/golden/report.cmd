quadrille report paper:P -m cm5 -a GS,AC -o "$scratch/report.html" && grep -oE '"kind":"[a-z]*"|"title":"[^"]*"|"(from|phase)":\[[0-9,]{1,40}' "$scratch/report.html"; rm "$scratch/report.html"
