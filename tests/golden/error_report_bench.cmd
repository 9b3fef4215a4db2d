# exit 2
echo "{\"methods\": [], \"pattern\": {}}" | quadrille report -
