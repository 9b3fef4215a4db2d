# exit 2
echo "{\"a\": 1}" | quadrille report -
