name=$scratch/$(printf 'm\xc3\xbcll\xff\xc3(') && quadrille generate complete:n=2 -o "$name" && cd "$scratch" && quadrille stat --json "./${name##*/}" | head -n 2; rm "$name"
