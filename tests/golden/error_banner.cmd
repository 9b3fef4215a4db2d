# exit 2
quadrille stat banner.mtx
