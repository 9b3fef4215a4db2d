# exit 2
sed 's/"arrival", 0.040, 2/"arrival", 0.040, 3/' trace.json | quadrille draw -
