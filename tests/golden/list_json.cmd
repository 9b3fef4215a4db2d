quadrille list algorithms greedy --json
