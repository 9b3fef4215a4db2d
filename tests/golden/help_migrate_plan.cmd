quadrille help migrate-plan
