# exit 2
quadrille draw trace.json --method paced,greedy
