#!/usr/bin/env bash
# What the README says to type, from the clone on. Written by a test from the README,
# and run by another; RECORD=1 writes it anew.

make demo

make binaries
export PATH="$PWD/.build/release:$PATH" PAYQUEUED_SOCKET="$PWD/pay.sock"
payqueued --demo --socket ./pay.sock &

printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"subscribe"}' \
    '{"jsonrpc":"2.0","id":2,"method":"add","params":{"product":"coins.100","key":"k1"}}' |
    socat -t5 - UNIX-CONNECT:./pay.sock | jq -c '.result // [.method, .params.kind]'

cat > worker.py <<'END'
import asyncio
from payqueued import AsyncClient, may_unlock

async def deliver(transaction):  # finished after this returned, delivered again if it did not
    if may_unlock(transaction):  # paid, and not refunded meanwhile
        print("unlocked", transaction["payment"]["product"]["productIdentifier"], flush=True)

asyncio.run(AsyncClient(name="worker").observe(deliver))
END

PYTHONPATH=clients/python python3 worker.py &
payqueuectl buy coins.100
