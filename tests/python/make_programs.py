# SPDX-License-Identifier: BSD-3-Clause
"""make_programs.py RANKS COUNT: random programs as data, a call a line; interpret.c says what each means. Some calls are wrong."""
import random
import sys

ranks, count = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(23)
types = ("i1", "i4", "i8", "f4", "f8")


def pattern():
    spec = draw.choice(["random:n={n},density=0.4,bytes=100,seed={s}", "complete:n={n},bytes=9", "hypercube:n=8,bytes=5", "magic:n=4",
                        "zipf:n={n},bytes=1K,seed={s}"])
    algorithm = draw.choice(["coloring", "greedy", "pairwise", "linear", "bruck", "magic", "two-stage"])
    return ["pattern", spec.format(n=draw.randint(2, 12), s=draw.randint(0, 99)), algorithm]


def plan():
    algorithm = draw.choice(["auto", "paced", "async", "coloring", "linear", "bruck", "magic"])
    amounts = [draw.choice([0, 0, 1, draw.randint(1, 50), draw.randint(1, 3000)]) for _ in range(ranks * ranks)]
    if draw.random() < 0.02:
        amounts[draw.randrange(ranks)] = -1
    return ["plan", algorithm, draw.choice([1, 4, 8, 24]), draw.randint(1, 2), *amounts]


def mapping():
    elements = draw.randint(1, 40)
    words = ["map", draw.randrange(len(types)), draw.randint(1, 3), draw.randrange(2), draw.randrange(2), elements]
    for _ in range(ranks):
        links = draw.randint(0, elements)
        places = draw.sample(range(elements), links)
        words.append(links)
        for place in places:
            words += [draw.randrange(ranks if draw.random() < 0.999 else ranks + 1), place, draw.randrange(elements)]
    return words


def directory():
    ids = draw.sample(range(-500, 500), 60)
    words = ["directory", draw.randrange(2)]
    for rank in range(ranks):
        own = ids[20 * rank:20 * rank + draw.randint(0, 20)]
        if draw.random() < 0.03:
            own = own + [ids[0]]
        need, gone = draw.sample(ids, draw.randint(0, 30)), draw.sample(ids, draw.randint(0, 5))
        for each in (own, need, gone):
            words += [len(each), *each]
    return words


def migration():
    words = ["migrate", draw.choice([1, 4, 12]), draw.randint(1, 60), draw.choice(["auto", "greedy", "robust"])]
    for _ in range(ranks):
        items = draw.randint(0, 40)
        words += [items, *(draw.randrange(ranks if draw.random() < 0.999 else ranks + 1) for _ in range(items))]
    return words


def coupling():
    words = ["couple", draw.randint(1, 9), draw.randint(1, 9)]
    for _ in range(2):
        words += [draw.randrange(2), draw.choice(["block", "cyclic"]), draw.randint(1, 3)]
    return words + [draw.randint(0, 3)]


makers = (pattern, plan, plan, mapping, mapping, directory, migration, coupling)
for number in range(count):
    print("program", number)
    for _ in range(draw.randint(1, 3)):
        print(draw.randrange(2 ** 31), *draw.choice(makers)())
