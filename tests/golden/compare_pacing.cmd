quadrille compare zipf:n=16,density=0.5,bytes=64K -m crossbar:tau=100us,rate=50Mbit/s,queue=48K --pacing own --no-build-time
