#!/usr/bin/env bash
# The shell library against a daemon at $PAYQUEUED_SOCKET: the sandbox with nothing in it.
# shellcheck disable=SC2317 # What is called by its name from the library is reachable.
here=$(dirname "$0")
# shellcheck source=clients/shell/payqueued.sh
. "$here/../payqueued.sh"
place=$(mktemp -d)
trap 'pq_close; rm -rf "$place"' EXIT
failures=0

# expect SENTENCE EXPECTED ACTUAL
expect() {
    if [[ $2 == "$3" ]]; then
        echo "ok: $1"
    else
        echo "not ok: $1: expected '$2', got '$3'"
        failures=$((failures + 1))
    fi
}

expect "a call prints its result" '"hi"' "$(pq_call ping payload=hi | jq .pong)"
expect "text stays text and JSON is JSON" '{"a":"1","b":[1]}' \
    "$(pq_request 1 x a=1 b:=[1] | jq -c .params)"
pq_call add product=nope 2>"$place/error" >"$place/output"
expect "an error answers 1" 1 $?
expect "an error is the object that came" 1101 "$(jq .code "$place/error")"
expect "an error prints no result" '' "$(cat "$place/output")"
(PQ_SOCKET=/nowhere/at/all pq_call ping 2>/dev/null)
expect "nobody listening answers 2" 2 $?
pq_call ping nonsense 2>/dev/null
expect "a word that is no parameter answers 3" 3 $?
pq_call ping 'payload:={' 2>"$place/error"
expect "what is no JSON answers 3" 3 $?
expect "what is no JSON is named" "payqueued: not JSON: payload" "$(cat "$place/error")"

# What another worker finishes first is handed out all the same; what has failed here and is gone is not.
event='{"method":"event","params":{"kind":"transactionsUpdated","transactions":[{"id":"t","transactionState":"purchased"}]}}'
removal='{"method":"event","params":{"kind":"transactionsRemoved","transactions":[{"id":"t"}]}}'
declare -A _pq_pending=() _pq_put_off=() _pq_unconfirmed=() _pq_done=()
pq_take_in < <(printf '%s\n' "$event" "$removal")
expect "what is finished elsewhere is handed out" t "${!_pq_pending[*]}"
_pq_put_off[t]=1
pq_take_in <<<"$removal"
expect "what was put off and is gone is not handed out" '' "${!_pq_pending[*]}"
unset _pq_pending _pq_put_off _pq_unconfirmed _pq_done

# Each needs more than it is given.
while read -r words; do
    read -ra command <<<"$words"
    "${command[@]}" 2>"$place/error"
    expect "too little for ${command[0]} answers 3" 3 $?
    expect "too little for ${command[0]} is told" "payqueued: usage: ${command[0]}" \
        "$(cut -d ' ' -f 1-3 "$place/error")"
done <<END
pq_call
pq_key $place/keys
pq_buy $place/keys order-1
pq_may_unlock
pq_observe
pq_watch $place/cursor
END

(
    trap 'exit 0' TERM
    PQ_SOCKET=/nowhere/at/all pq_observe true 2>"$place/error"
) &
sleep 2
kill $!
wait $!
expect "nobody to observe is told once" \
    "payqueued: cannot connect to /nowhere/at/all; trying again" "$(cat "$place/error")"

for words in buy.sh 'buy.sh order-1' gate.sh 'gate.sh much'; do
    read -ra command <<<"$words"
    "$here/../examples/${command[0]}" "${command[@]:1}" 2>"$place/error"
    expect "$words answers 3" 3 $?
    expect "$words says how to call it" "usage: ${command[0]}" \
        "$(cut -d ' ' -f 1-2 "$place/error")"
done

# bought ORDER [MEMBERS]: a transaction.
bought() {
    jq -cn --arg order "$1" --argjson more "${2:-{\}}" '{id: "t-\($order)",
        transactionIdentifier: $order, transactionState: "purchased",
        payment: {product: {productIdentifier: "coins.100"}}} + $more'
}
(
    # shellcheck source=clients/shell/examples/goods.sh
    . "$here/../examples/goods.sh"
    export GOODS=$place/goods
    refund='{"revocation": {"at": "2026-01-05T10:00:00.000Z", "reason": "refund"}}'
    settle "$(bought a)"
    settle "$(bought a '{"id": "t-again", "transactionState": "restored"}')"
    settle "$(bought a '{"id": "t-owned", "offer": "alreadyOwned"}')"
    settle "$(bought b "$refund")"
    settle "$(bought d '{"offer": "scheduled", "effectiveAt": "2026-02-05T10:00:00.000Z"}')"
    settle "$(bought e '{"transactionState": "failed"}')"
    settle "$(bought f '{"offer": "introductory"}')"
    settle "$(bought g)"
    settle "$(bought g "$refund")"
    settle "$(bought h)"
    hear '{"method":"event","params":{"kind":"entitlementsRevoked","orders":["h","i"]}}'
)
expect "what was refunded or begins later is not unlocked, and an order only once" \
    "a coins.100 f coins.100" "$(xargs <"$place/goods")"

key=$(pq_key "$place/keys" order-1)
expect "a key is kept" "$key" "$(pq_key "$place/keys" order-1)"
expect "a key is on disk" "order-1	$key" "$(cat "$place/keys")"
[[ $(pq_key "$place/keys" order) != "$key" ]]
expect "another intent has another key" 0 $?

[[ $(pq_key "$place/keys" 007) != "$(pq_key "$place/keys" 7)" ]]
expect "intents are no numbers" 0 $?
expect "an intent is taken as it is written" "$(pq_key "$place/keys" 'a\tb\n')" \
    "$(pq_key "$place/keys" 'a\tb\n')"
printf 'order-torn' >>"$place/keys"
key_behind=$(pq_key "$place/keys" order-behind)
expect "a torn line costs no other its key" "$key_behind" "$(pq_key "$place/keys" order-behind)"
pq_key "$place/keys" $'two\tparts' >/dev/null 2>&1
expect "an intent that could not be found again is refused" 3 $?
for _ in 1 2 3 4 5 6 7 8; do pq_key "$place/keys" order-raced & done | sort -u >"$place/raced"
expect "all who ask at once get the same key" 1 "$(wc -l <"$place/raced")"

expect "a purchase settles" purchased \
    "$(pq_buy "$place/keys" order-1 coins.100 me | jq -r .transactionState)"
pq_buy "$place/keys" order-1 coins.100 me >"$place/again"
expect "the same intent is the same purchase" "$(jq -r .id "$place/again")" \
    "$(pq_call add product=coins.100 "key=$key" appAccountToken=me | jq -r .transaction)"
pq_call logout >/dev/null
PQ_TIMEOUT=2 pq_buy "$place/keys" order-2 coins.100 >/dev/null
expect "a purchase that waits answers 4" 4 $?
pq_call login account=demo >/dev/null

# A handler that fails at first: the transactions come again, and are finished only then.
handler() {
    local id
    id=$(jq -r .id <<<"$1")
    echo "$id" >>"$place/handled"
    (($(grep -c "$id" "$place/handled") > 1))
}
(
    trap 'pq_close; exit 0' TERM
    PQ_RETRY_SECONDS=1 pq_observe handler 2>/dev/null
) &
observer=$!
for _ in $(seq 300); do
    [[ $(pq_call transactions | jq '.transactions | length') == 0 ]] && break
    sleep 0.1
done
expect "what failed is handed out again and finished" 0 \
    "$(pq_call transactions | jq '.transactions | length')"
expect "each was handed out twice" '2 2' \
    "$(sort "$place/handled" | uniq -c | awk '{print $1}' | xargs)"
kill "$observer"
wait "$observer"

# The second time comes from the list of what is unfinished, which holds every product.
pq_buy "$place/keys" order-3 coins.100 >/dev/null
pq_buy "$place/keys" order-4 remove-ads >/dev/null
paid=$(pq_history | cut -d . -f 2 | tr _- /+ | base64 -d 2>/dev/null | jq '.transactions | length')
expect "the signed history has a line for each page" "$paid" "$(pq_history 1 | wc -l)"
: >"$place/handled"
(
    trap 'pq_close; exit 0' TERM
    PQ_RETRY_SECONDS=1 pq_observe handler 'products:=["coins.100"]' 2>/dev/null
) &
observer=$!
for _ in $(seq 300); do
    [[ $(pq_call transactions | jq '.transactions | length') == 1 ]] && break
    sleep 0.1
done
sleep 2
kill "$observer"
wait "$observer"
expect "what other products left is not handed out" 1 "$(sort -u "$place/handled" | wc -l)"
IFS=$'\t' read -r left product < <(pq_call transactions |
    jq -r '.transactions[] | [.id, .payment.product.productIdentifier] | @tsv')
expect "what other products left is not finished" remove-ads "$product"
pq_call finish "transaction=$left" >/dev/null
pq_call wait "transaction=$left" 'until:=["removed"]' >/dev/null

collect() {
    jq -r '.params.seq' <<<"$1" >>"$place/seen"
    jq -r '.method' <<<"$1" >>"$place/methods"
    [[ $1 != *'"method":"caughtUp"'* ]] || kill -USR1 "$BASHPID"
}
watch_once() {
    : >"$place/seen"
    : >"$place/methods"
    (
        trap 'pq_close; exit 0' USR1
        pq_watch "$place/cursor" collect passive:=true
    )
}
read -r epoch head < <(pq_call hello | jq -r '"\(.epoch) \(.head)"')
echo "$epoch 0" >"$place/cursor"
watch_once
expect "a watch begins behind its cursor" "$head" "$(tail -n 1 "$place/seen")"
echo "another 5" >"$place/cursor"
watch_once
expect "a cursor of another log begins anew and says so" "gap caughtUp" "$(xargs <"$place/methods")"

# A command that fails at first, at the first event behind the cursor.
fail_once() {
    collect "$1"
    (($(wc -l <"$place/seen") > 1))
}
echo "$epoch $((head - 1))" >"$place/cursor"
: >"$place/seen"
: >"$place/methods"
(
    trap 'pq_close; exit 0' USR1
    pq_watch "$place/cursor" fail_once passive:=true 2>/dev/null
)
expect "what the command failed on comes again" "event event caughtUp" \
    "$(xargs <"$place/methods")"

exit $((failures > 0))
