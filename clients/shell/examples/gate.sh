#!/usr/bin/env bash
# Answers the question whether a purchase continues in another country, up to a price:
# gate.sh HIGHEST [--once].
#
# Plays: "A queued purchase that would now run in a different storefront is gated by the delegate so
# you can confirm or cancel it."
here=$(dirname "$0")
# shellcheck source=clients/shell/payqueued.sh
. "$here/../payqueued.sh"

[[ ${1:-} =~ ^[0-9]+(\.[0-9]+)?$ ]] || {
    echo 'usage: gate.sh HIGHEST [--once], where HIGHEST is an amount such as 5.00' >&2
    exit 3
}
highest=$1

decide() {
    local question=$1 product value
    product=$(jq -c '.product // empty' <<<"$question")
    if [[ -z $product ]]; then
        product=$(pq_call transactions "ids:=$(jq -c '[.transaction]' <<<"$question")" |
            jq -c '.transactions[0].payment.product')
    fi
    value=$(jq --argjson h "$highest" '.price.value <= $h' <<<"$product")
    pq_call answer "question=$(jq -r .question <<<"$question")" "value:=$value" >/dev/null
    echo "$(jq -r .type <<<"$question") $(jq .price.value <<<"$product") $value"
}

# The policy is one for the whole queue and outlives this program: without anybody to answer each
# question would wait for its time to run out. So it is put back at the end, as far as there is one:
# a gate that was killed leaves "ask" behind, and so does the last of several.
leave() {
    pq_close
    pq_call delegate "mode=$(jq -r .mode <<<"$found")" "timeout:=$(jq .timeout <<<"$found")" \
        "fallback:=$(jq .fallback <<<"$found")" >/dev/null
}

found=$(pq_call delegate) || exit
trap leave EXIT
trap 'exit 0' INT TERM
pq_call delegate mode=ask timeout:=60 fallback:=false >/dev/null || exit
# Subscribed before the list is asked for, so that none is missed in between.
pq_open 'kinds:=["questionOpened"]' after=now >/dev/null || exit
while read -r question; do
    decide "$question"
done < <(pq_call questions | jq -c '.questions[]')
echo ready
while :; do
    pq_next 3600
    case $? in
    0) ;;
    4) continue ;;
    *) break ;;
    esac
    [[ $PQ_LINE == *'"type":"shouldContinue"'* ]] || continue
    decide "$(jq -c .params <<<"$PQ_LINE")"
    [[ ${2:-} == --once ]] && break
done
