quadrille list environment; quadrille list QDR_DEADLINE
