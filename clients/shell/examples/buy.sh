#!/usr/bin/env bash
# Buys a product once, whatever crashes in between: buy.sh ORDER PRODUCT [TOKEN]. Run it again with
# the same ORDER: nothing is paid twice.
#
# Plays: "A purchase is initiated by adding a payment to the payment queue."
here=$(dirname "$0")
# shellcheck source=clients/shell/payqueued.sh
. "$here/../payqueued.sh"
# shellcheck source=clients/shell/examples/goods.sh
. "$here/goods.sh"

(($# >= 2)) || {
    echo 'usage: buy.sh ORDER PRODUCT [TOKEN]' >&2
    exit 3
}

bought=$(pq_buy "$(kept KEYS keys.txt)" "$1" "$2" "${3:-}")
status=$?
if [[ $bought == *'"removed"'* ]]; then
    echo "done before: $(jq -r .removed.reason <<<"$bought")"
    exit "$status"
fi
[[ -n $bought ]] && echo "$1: $(describe "$bought")"
((status == 0)) || exit "$status"
settle "$bought" || exit
pq_call finish "transaction=$(jq -r .id <<<"$bought")" |
    jq -r '"finish: \(.disposition)"' && ! jq -e .revocation <<<"$bought" >/dev/null
