quadrille list | grep -E '^#|^coloring|^mesh|^cm5 '
