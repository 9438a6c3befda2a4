#!/usr/bin/env bash
# Unlocks what was bought and finishes it, until Ctrl-C.
#
# Plays: "Treat every transaction your observer delivers the same way: act on its state and finish
# it."
here=$(dirname "$0")
# shellcheck source=clients/shell/payqueued.sh
. "$here/../payqueued.sh"
# shellcheck source=clients/shell/examples/goods.sh
. "$here/goods.sh"

handle() {
    settle "$1" || return
    echo "handled $(describe "$1")"
}

show() {
    hear "$1"
    case $1 in
    *'"method":"caughtUp"'*) echo ready ;;
    *'"kind":"transactionsRemoved"'*) jq -r '.params.transactions[] | "removed \(.id)"' <<<"$1" ;;
    esac
}

trap 'pq_close; exit 0' INT TERM
PQ_ON_EVENT=show
pq_observe handle
