quadrille report trace.json | grep -oE '"subtitle":"[^"]*"|"title":"[^"]*"|"(start|end|phase)":\[[0-9,]*'
