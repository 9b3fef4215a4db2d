# exit 2
quadrille bench complete:bytes=20K -a paced --with isend --together 2
