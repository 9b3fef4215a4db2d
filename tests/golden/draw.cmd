quadrille draw trace.json
