# shellcheck shell=bash
# What stands for the application in these examples: a file of unlocked products, one line each.

# unlock TRANSACTION: grants the product; on disk before it returns, because finish comes next.
unlock() {
    local id product file=${GOODS:-goods.txt}
    IFS=$'\t' read -r id product < <(
        jq -r '[.id, .payment.product.productIdentifier] | @tsv' <<<"$1")
    grep -qs "^$id " "$file" && return 0
    printf '%s %s\n' "$id" "$product" >>"$file" && sync "$file"
}

# describe TRANSACTION: prints it in a few words.
describe() {
    jq -r '[.payment.product.productIdentifier, .transactionState,
        (.waitingFor // empty | "waits for \(.)"), (.failureReason // empty)] | join(" ")' <<<"$1"
}
