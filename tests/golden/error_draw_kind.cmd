# exit 2
sed 's/"grant", 0.008/"give", 0.008/' trace.json | quadrille draw -
