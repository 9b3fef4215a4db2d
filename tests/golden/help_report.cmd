quadrille help report
