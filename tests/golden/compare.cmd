quadrille compare paper:P -m cm5 -a AC,LS,PS,BS,REX,GS,RS_N,RS_NL,coloring --no-build-time
