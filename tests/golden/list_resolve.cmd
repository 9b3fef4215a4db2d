quadrille list resolve; quadrille list resolve torus
