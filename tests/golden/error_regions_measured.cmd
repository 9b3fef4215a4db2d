# A file that is no benchmark; none at all; two ways at once
mkdir "$scratch/cells"; trap 'rm -r "$scratch/cells"' EXIT
axes="-x bytes=64..4Ki -y degree=1..7 --columns 2 --rows 2"
cd "$scratch"
quadrille regions random:n=8,seed=1 $axes --measured cells; echo "exit code $?"
echo '{"methods": [{"method": "async"}]}' > cells/bytes=64,degree=1.json
quadrille regions random:n=8,seed=1 $axes --measured cells; echo "exit code $?"
echo '{"methods": []}' > cells/bytes=64,degree=1.json
quadrille regions random:n=8,seed=1 $axes --measured cells; echo "exit code $?"
echo 'x' > cells/bytes=64,degree=1.json
quadrille regions random:n=8,seed=1 $axes --measured cells; echo "exit code $?"
quadrille regions random:n=8,seed=1 $axes --measured cells -m ethernet; echo "exit code $?"
quadrille regions random:n=8,seed=1 $axes; echo "exit code $?"
