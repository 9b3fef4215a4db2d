/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Presets: machines of the papers and of today, each a spec of a topology, with the source of its figures.
 *
 * How a figure was derived, where the source does not print it:
 *
 * cm5: table 11 of the CM-5 paper, pairwise at 75%, is 7.88 ms with 256 bytes and 10.52 ms with 512. In each
 * of the 31 steps some pair has messages both ways, so that a step is two messages in turn (half ports): 127
 * and 170 us each. Less 88 us of startup, 39 and 82 us remain: 0.16 us per byte of data, 0.128 us per byte on
 * the wire (20 for 16). The links of the network are faster than that software.
 *
 * Its control network: a latency of 2 to 5 us (section 2). The system's broadcast takes the same time on any number of nodes, and
 * the recursive one over the data network is faster above 1 KB on 32 nodes and above 2 KB on 256 (section 3.6). A recursive
 * broadcast of x bytes takes lg n (88 + 0.16 x) us; that equals b x at 1 KB and 32 nodes for b = 1.23 us, at 2 KB and 256 nodes for
 * 1.62. With 1.5 us both are off by the same factor: they are equal at 0.6 and at 3.2 KB.
 *
 * cm5-am: sending a packet of 16 bytes takes 1.6 us, receiving it 1.7 us (Transportation, section 4.1), so k
 * packets have arrived after 1.6 + 1.7 k us: tau = 1.6 us, mu = 1.7 us / 20.
 *
 * delta: a blocked worm keeps the channels it holds, as a circuit does, whence `circuit`; a channel held by
 * one worm serves no other however fast it is, whence no `link`. The routers of asci-red have virtual lanes,
 * so that messages share a channel there.
 *
 * infiniband: leaf switches with 32 ranks and 16 cables up, no taper above.
 *
 * slingshot: switches of 64 ports, 16 for ranks, 31 for the other switches of the group, the rest global;
 * four cables are taken to join each two groups.
 */
#include "topology.h"

const qdri_preset qdri_presets[] = {
    {"cm5", "Thinking Machines CM-5 with the CMMD library",
     "fattree:arity=4,growth=2,tapered=2,link=20MB/s,tau=88us,mu=128ns,packet=20,payload=16,ports=half,"
     "sends=synchronous,barrier=5us,combine=2us,scan=2us,broadcast=1.5us,copy=50ns",
     "CM-5 scheduling, section 2 and table 11; Transportation, section 4; copy, combine and scan are "
     "estimates"},
    {"cm5-am", "Thinking Machines CM-5 with active messages",
     "fattree:arity=4,growth=2,tapered=2,link=20MB/s,tau=1.6us,mu=85ns,packet=20,payload=16,ports=half,"
     "sends=buffered,barrier=5us,combine=2us,scan=2us,broadcast=1.5us,copy=50ns",
     "Transportation, section 4: 1.6 us to send, 1.7 us to receive a packet of 16 bytes; copy, combine and "
     "scan are estimates"},
    {"ipsc860", "Intel iPSC/860",
     "hypercube:tau=95us,mu=0.394us,hop=10.3us,ports=paired,switching=circuit,copy=30ns",
     "Bokhari, ICASE Interim Report 10 (1990) and Report 91-4 (1991): messages of more than 100 bytes; copy "
     "is an estimate"},
    {"delta", "Intel Touchstone Delta", "mesh:tau=75us,mu=0.1us,hop=0.1us,switching=circuit,copy=30ns",
     "16 x 32 nodes, 75 to 150 ns a router (brochure of 1991); startup and rate are round figures, copy an "
     "estimate"},
    {"asci-red", "Intel ASCI Red", "mesh:tau=15us,rate=310MB/s,link=400MB/s,hop=50ns,copy=5ns",
     "38 x 32 routers; startup and rates are round figures, hop and copy estimates"},
    {"ethernet", "a cluster on one switch of 10 Gbit/s Ethernet",
     "crossbar:tau=20us,rate=10Gbit/s,copy=0.1ns,buffer=256Ki",
     "nominal rate; Hurwitz and Feng, Initial End-to-End Performance Evaluation of 10-Gigabit Ethernet (Hot "
     "Interconnects 2003): 20 us between applications; copy and the buffer of a switch port are round "
     "figures"},
    {"infiniband", "a cluster on NDR InfiniBand, tapered 2:1 at the leaves",
     "fattree:arity=32,growth=16,tapered=1,tau=1.5us,rate=400Gbit/s,hop=0.1us,copy=0.1ns",
     "data sheet of the Quantum-2 QM9700: 64 ports of 400 Gbit/s; startup, hop and copy are round figures"},
    {"slingshot", "a machine on 200 Gbit/s Slingshot, minimal routes",
     "dragonfly:hosts=16,routers=32,global=100GB/s,tau=2us,rate=200Gbit/s,hop=0.35us,copy=0.1ns",
     "De Sensi et al., An In-Depth Analysis of the Slingshot Interconnect (SC 2020): 64 ports of 200 Gbit/s, "
     "16 for ranks, 32 switches in a group, 350 ns a switch; cables between groups, startup and copy are "
     "round "
     "figures"},
    {NULL, NULL, NULL, NULL},
};
