"""The cache's table shared with workers in Rust, by a worker that acts as the TypeScript store does.

isr.py contend --endpoint URL --table T --bodies DIR --pages A,B --rounds N   regenerates pages beside others
isr.py take    --endpoint URL --table T --bodies DIR --pages A                waits for a lease, publishes, takes it again
isr.py rows    --endpoint URL --table T --bodies DIR --pages A                compares every kind of row that Rust wrote
isr.py seed    --endpoint URL --table T --bodies DIR --pages A                writes rows as the seeds say, to the letter
isr.py done    --endpoint URL --table T --bodies DIR --pages A                compares what Rust made of them
"""

import argparse
import sys

from python import contender, rows, seed
from python.isr import IsrMetaStore
from python.world import connect


def main():
    """Fails with the first claim that does not hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["contend", "take", "rows", "seed", "done"])
    for name in ("endpoint", "table", "bodies", "pages"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rounds", type=int, default=40)
    words = parser.parse_args()
    store = IsrMetaStore(connect(words.endpoint, "isr").client, words.table, words.bodies)
    pages = words.pages.split(",")
    if words.mode == "contend":
        contender.contend(store, pages, words.rounds)
    elif words.mode == "take":
        contender.take(store, pages[0])
    elif words.mode == "rows":
        rows.table(store)
        rows.check(store, pages[0], "done")
    elif words.mode == "seed":
        seed.write(store, pages[0])
    else:
        seed.read(store, pages[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
