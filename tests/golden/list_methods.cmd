quadrille list methods; quadrille list methods greedy
