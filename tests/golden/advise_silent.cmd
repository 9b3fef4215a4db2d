mkdir "$scratch/silent" && for rank in 0 1; do printf 'quadrille-record\t1\nrank\t%d\t2\thost\nprogram\t/usr/bin/silent\nend\t1.5\n' $rank > "$scratch/silent/rank-00000$rank.txt"; done
quadrille advise "$scratch/silent"; rm -r "$scratch/silent"
