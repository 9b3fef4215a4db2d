quadrille stat valueless.mtx --bytes 2Ki | head -n 4
