# shellcheck shell=bash
# kept VARIABLE NAME: prints the path of a file that outlives the program: what a variable names, or one
# in the user's state directory, never in the directory that the program is started from.
kept() {
    local folder=${XDG_STATE_HOME:-$HOME/.local/state}/payqueued-examples
    [[ -z ${!1:-} ]] || {
        printf '%s\n' "${!1}"
        return
    }
    mkdir -p "$folder" && printf '%s\n' "$folder/$2"
}

# What stands for the application in these examples: a file of unlocked products, one line each.

# settle TRANSACTION: unlocks what may be unlocked and takes back what was refunded; on disk before it
# returns, because finish comes next. Two transactions of one order are unlocked once.
settle() {
    local order product
    IFS=$'\t' read -r order product < <(
        jq -r '[.transactionIdentifier // "-", .payment.product.productIdentifier] | @tsv' <<<"$1")
    if pq_may_unlock "$1"; then
        write_down "$order" "$order $product"
    elif jq -e .revocation <<<"$1" >/dev/null; then
        write_down "$order"
    fi
}

# hear NOTIFICATION: takes back what was refunded after it was finished.
hear() {
    local order
    [[ $1 == *'"kind":"entitlementsRevoked"'* ]] || return 0
    while read -r order; do
        write_down "$order"
    done < <(jq -r '.params.orders[]' <<<"$1")
}

# write_down ORDER [LINE]: makes this the only line of the order, or none. Programs take turns.
write_down() {
    local order=$1 line=${2:-} file
    file=$(kept GOODS goods.txt) || return
    (
        flock 9 || exit
        if [[ -n $line ]]; then grep -qsxF "$line" "$file"; else ! grep -qs "^$order " "$file"; fi &&
            exit
        {
            grep -sv "^$order " "$file"
            [[ -z $line ]] || printf '%s\n' "$line"
        } >"$file.new"
        sync "$file.new" && mv "$file.new" "$file"
    ) 9>>"$file.lock"
}

# describe TRANSACTION: prints it in a few words: what was bought, for whom or by whom, where it stands.
describe() {
    jq -r '[.payment.product.productIdentifier, .transactionState,
        ((.payment.appAccountToken // empty | "for \(.)") // (.by.client // empty | "by \(.)")),
        (.waitingFor // empty | "waits for \(.)"), (.offer // empty),
        (.revocation // empty | "refunded"), (.failureReason // empty)] | join(" ")' <<<"$1"
}
