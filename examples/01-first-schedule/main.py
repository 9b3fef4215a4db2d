# SPDX-License-Identifier: BSD-3-Clause
"""The shortest way from messages to a schedule: four ranks, eight messages, as few phases as there can be.

In a notebook, `schedule` alone on a line shows the picture."""
import quadrille as q

origin = [0, 0, 0, 1, 1, 2, 3, 3]
destination = [1, 2, 3, 0, 3, 3, 1, 2]
items = [400, 100, 900, 250, 100, 700, 300, 50]

pattern = q.Pattern.from_messages(4, origin, destination, items)
schedule = q.Schedule(pattern, "coloring")
schedule.check()  # every item arrives once, no rank is hit twice
print(schedule.to_text(), end="")
