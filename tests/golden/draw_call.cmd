quadrille draw call.json | grep -o '>[^<]*\(MPI\|recorded\)[^<]*<'
quadrille report call.json | grep -o '"\(what\|empty\)":"[^"]*"'
