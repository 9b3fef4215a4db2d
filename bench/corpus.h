/* SPDX-License-Identifier: BSD-3-Clause */
/* The corpus on which the makespan of `split` is judged: patterns of every family, and machines with three
 * relations of startup to transfer time. */
#ifndef CORPUS_H
#define CORPUS_H

static const char *const corpus_patterns[] = {
    "complete:n=%d,bytes=1000",
    "complete:n=%d,bytes=1..50K",
    "complete:n=%d,bytes=100..100K,sizes=log",
    "random:n=%d,density=0.1,bytes=4K",
    "random:n=%d,density=0.25,bytes=512..64K",
    "random:n=%d,density=0.5,bytes=2K..200K,sizes=log",
    "random:n=%d,density=0.75,bytes=1..3K",
    "random:n=%d,degree=2,bytes=1K..100K",
    "random:n=%d,degree=3,bytes=1K..100K,sizes=log",
    "random:n=%d,degree=5,bytes=10K..20K",
    "random:n=%d,degree=6,bytes=1..10K",
    "transport:n=%d,fanout=7,traffic=1M,skew=1/7",
    "transport:n=%d,fanout=4,traffic=100K,skew=1/4",
    "transport:n=%d,fanout=6,traffic=100K,skew=1/2",
    "permutation:n=%d,bytes=1K..100K",
    "shift:n=%d,by=3",
    "alltoone:n=%d,bytes=1K..20K",
    "onetoall:n=%d,bytes=1K..20K",
    "hotspot:n=%d,hot=2,density=0.25,bytes=1K..4K",
    "zipf:n=%d,density=0.25,bytes=1K..10K",
    "powerlaw:n=%d,bytes=1K..64K,sizes=log",
    "moe:n=%d,tokens=256,skew=0.8,bytes=512",
    "moe:n=%d,tokens=64,skew=0.3,bytes=1K",
    "halo2d:n=%d,points=128",
    "halo2d:n=%d,points=512,corners,periodic",
    "halo3d:n=%d,points=16,corners",
    "halo3d:n=%d,points=32,periodic",
};

/* These have one size, or need a square. */
static const char *const corpus_fixed[] = {
    "paper:P",
    "paper:figure1",
    "paper:figure2",
    "paper:figure9",
    "transpose:n=16,bytes=1K..64K",
    "transpose:n=64,bytes=1K..64K",
    "transpose:n=100,bytes=1K..64K",
    "transpose:n=256,bytes=1K..64K",
};

static const int corpus_ranks[] = {8, 13, 16, 32, 64, 100, 128, 256, 512};

/* Startup worth 1 KB, 20 KB and 1 KB on a slow network; full-duplex ports. */
static const char *const corpus_machines[] = {
    "crossbar:sends=synchronous,tau=1us,mu=1ns",
    "crossbar:sends=synchronous,tau=20us,mu=1ns",
    "crossbar:sends=synchronous,tau=100us,mu=50ns",
};

#endif
