# One pattern predicted twice and recorded twice: four chapters, and no two with one title.
quadrille report shift:n=2 call.json shift:n=2 call.json -a coloring | grep -o '"kind":"chapter","heading":"[^"]*"'
