"""Finishes what is unfinished, and shows that finishing again is harmless.

Plays: "You must call finishTransaction for every transaction that reaches purchased, restored, or
failed. If you don't, it stays in the queue and is re-delivered to your observer on the next launch."
"""

from __future__ import annotations

from _goods import Goods, describe
from _program import run
from payqueued import Client


def main() -> int:
    goods = Goods()
    with Client(name="finish") as queue:
        page = queue.transactions(states=["purchased", "restored", "failed"])
        for transaction in page["transactions"]:
            goods.settle(transaction)
            first = queue.finish(transaction["id"])["disposition"]
            again = queue.finish(transaction["id"])["disposition"]
            print(describe(transaction), "->", first, "then", again)
    return 0


if __name__ == "__main__":
    run(main)
