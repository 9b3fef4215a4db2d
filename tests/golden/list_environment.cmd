quadrille list environment; quadrille list QDR_STALL_SECONDS
