quadrille compare alltoone:n=8,bytes=4Ki -m ethernet:buffer=8Ki -a async,coloring --no-build-time
