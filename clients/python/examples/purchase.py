"""Buys a product once, whatever crashes in between: purchase.py ORDER PRODUCT [TOKEN].

Plays: "A purchase is initiated by adding a payment to the payment queue", "the result is delivered
to your transaction observer" and "the token is carried with the transaction and echoed back". Run
it again with the same ORDER: nothing is paid twice.
"""

from __future__ import annotations

import sys

from _goods import Goods, describe
from _program import run, usage
from _state import kept
from payqueued import (
    Client, ConnectionFailure, KeyFile, LeftTheQueue, PaymentQueueError, StillWaiting,
)


def main() -> int:
    if len(sys.argv) not in (3, 4):
        usage("purchase.py ORDER PRODUCT [TOKEN]")
    order, product = sys.argv[1], sys.argv[2]
    token = sys.argv[3] if len(sys.argv) > 3 else None
    # The key of this order is on disk before anything is sent.
    keys = KeyFile(kept("KEYS", "keys.json"))
    with Client(name="purchase") as queue:
        try:
            bought = queue.buy_once(keys, order, product, app_account_token=token)
        except LeftTheQueue as gone:
            print("done before:", gone.reason)
            return 0 if gone.reason == "finished" else 1
        except StillWaiting as waiting:
            print("still waiting for", waiting.waiting_for)
            return 4
        except ConnectionFailure:
            raise  # Whether it is bought is not known; the same ORDER tells.
        except PaymentQueueError as error:
            print("not bought:", error)
            return 1
        print(f"{order}: {describe(bought)}")
        Goods().settle(bought)
        print("finish:", queue.finish(bought["id"])["disposition"])
        is_bought = bought["transactionState"] == "purchased" and "revocation" not in bought
        return 0 if is_bought else 1


if __name__ == "__main__":
    run(main)
