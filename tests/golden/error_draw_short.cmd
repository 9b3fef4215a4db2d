# exit 2
sed 's/0, 0, 8192\], \[2/0, 8192], [2/' trace.json | quadrille draw -
