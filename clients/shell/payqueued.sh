# shellcheck shell=bash
# Client of payqueued, the payment queue daemon, for bash 4.4 or later with socat and jq.
#
#   . payqueued.sh
#   pq_call ping
#   pq_call add product=coins.100 key=order-7781
#
# The socket is $PQ_SOCKET, else $PAYQUEUED_SOCKET, else the user's own, else the system's.
# Every function answers 0 done, 1 the daemon said no, 2 no connection, 3 usage, 4 time ran out.

PQ_TIMEOUT=${PQ_TIMEOUT:-30}              # seconds to wait for an answer
PQ_RETRY_SECONDS=${PQ_RETRY_SECONDS:-180} # how often to hand out again what stays unfinished
PQ_LONGEST_PAUSE=${PQ_LONGEST_PAUSE:-5}  # seconds between two tries to connect, at most

# pq_socket: prints the socket to use.
pq_socket() {
    local own="${XDG_RUNTIME_DIR:-}/payqueued/payqueued.sock"
    if [[ -n ${PQ_SOCKET:-} ]]; then
        printf '%s\n' "$PQ_SOCKET"
    elif [[ -n ${PAYQUEUED_SOCKET:-} ]]; then
        printf '%s\n' "$PAYQUEUED_SOCKET"
    elif [[ -n ${XDG_RUNTIME_DIR:-} && -e $own ]]; then
        printf '%s\n' "$own"
    else
        printf '%s\n' /run/payqueued/payqueued.sock
    fi
}

# pq_usage WORDS: says how a function is called, and answers 3.
pq_usage() {
    printf 'payqueued: usage: %s\n' "$1" >&2
    return 3
}

# pq_request ID METHOD [NAME=TEXT | NAME:=JSON]...: prints a request on one line.
pq_request() {
    local id=$1 method=$2 word params='{}'
    shift 2
    for word; do
        case $word in
        *:=*) params=$(jq -cn --argjson p "$params" --arg n "${word%%:=*}" \
            --argjson v "${word#*:=}" '$p + {($n): $v}' 2>/dev/null) || {
            printf 'payqueued: not JSON: %s\n' "${word%%:=*}" >&2
            return 3
        } ;;
        *=*) params=$(jq -cn --argjson p "$params" --arg n "${word%%=*}" \
            --arg v "${word#*=}" '$p + {($n): $v}') || return 3 ;;
        *)
            printf 'payqueued: not NAME=TEXT or NAME:=JSON: %s\n' "$word" >&2
            return 3
            ;;
        esac
    done
    jq -cn --argjson i "$id" --arg m "$method" --argjson p "$params" \
        '{jsonrpc: "2.0", id: $i, method: $m, params: $p}'
}

pq_nobody() {
    printf 'payqueued: no program listens at %s\n' "$(pq_socket)" >&2
}

# pq_call METHOD [NAME=TEXT | NAME:=JSON]...: calls a method and prints its result; an error goes
# to standard error as the JSON object that came. Repeat a call that got no answer with its key.
pq_call() {
    local request reply
    (($# > 0)) || { pq_usage 'pq_call METHOD [NAME=TEXT | NAME:=JSON]...'; return; }
    request=$(pq_request 1 "$@") || return
    [[ -S $(pq_socket) ]] || {
        pq_nobody
        return 2
    }
    # The daemon answers after the end of input and then closes; -t is only the longest wait.
    reply=$(printf '%s\n' "$request" | socat -t "$PQ_TIMEOUT" - "UNIX-CONNECT:$(pq_socket)") ||
        return 2
    if [[ -z $reply ]]; then
        printf 'payqueued: no answer to %s within %s s\n' "$1" "$PQ_TIMEOUT" >&2
        return 4
    fi
    pq_result <<<"$reply"
}

# pq_history [LIMIT]: prints the signed history of the account, the newest payment first: a JWS on each
# line, which is a page of LIMIT purchases, or of as many as a reply has room for.
pq_history() {
    local page='' answer
    while :; do
        answer=$(pq_call signedHistory ${1:+"limit:=$1"} ${page:+"page=$page"}) || return
        jq -r .jws <<<"$answer"
        page=$(jq -r '.next // empty' <<<"$answer")
        [[ -n $page ]] || return 0
    done
}

# pq_result: reads a reply, prints its result or complains.
pq_result() {
    local reply
    IFS= read -r reply
    if jq -e 'has("error")' <<<"$reply" >/dev/null; then
        jq -c .error <<<"$reply" >&2
        return 1
    fi
    jq -c .result <<<"$reply"
}

# pq_key FILE INTENT: prints the key of an intent. It is on stable storage before that, so the same
# intent never pays twice, whatever crashes. An intent is one line without tabs. Takes turns with
# others at the same file, as far as flock (of util-linux) is there.
pq_key() (
    (($# == 2)) || { pq_usage 'pq_key FILE INTENT'; exit; }
    file=$1 intent=$2 key=''
    case $intent in
    *$'\t'* | *$'\n'*)
        printf 'payqueued: an intent is one line without tabs\n' >&2
        exit 3
        ;;
    esac
    umask 077
    exec {keys}>>"$file" || exit 3
    if type flock >/dev/null 2>&1; then flock "$keys" || exit 3; fi
    # Not by -v, which would expand escapes; and as texts: 007 is another intent than 7.
    key=$(PQ_INTENT=$intent awk -F '\t' \
        '$2 != "" && $1 "" == ENVIRON["PQ_INTENT"] "" { print $2; exit }' "$file") || exit 3
    if [[ -z $key ]]; then
        # What a crash left of a line must not swallow this one.
        [[ -z $(tail -c 1 "$file") ]] || printf '\n' >&"$keys" || exit 3
        key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
        printf '%s\t%s\n' "$intent" "$key" >&"$keys" || exit 3
    fi
    # A known one as well: who wrote it may have died before it came so far.
    sync "$file" "$(dirname -- "$file")" || exit 3
    printf '%s\n' "$key"
)

# pq_open [NAME=TEXT | NAME:=JSON]...: subscribes on a connection of its own; pq_next reads it.
pq_open() {
    local request
    request=$(pq_request 1 subscribe "$@") || return
    pq_close
    [[ -S $(pq_socket) ]] || return 2
    coproc PQ { exec socat -t 1 - "UNIX-CONNECT:$(pq_socket)" 2>/dev/null; }
    # Copies: the shell closes its own ends as soon as the process is gone.
    PQ_PROCESS=$PQ_PID PQ_PART=''
    exec {PQ_IN}<&"${PQ[0]}" {PQ_OUT}>&"${PQ[1]}"
    # A daemon that is gone shows when the answer is read, not by the end of this shell.
    (trap '' PIPE && printf '%s\n' "$request" >&"$PQ_OUT") 2>/dev/null
    local reply
    IFS= read -r -t "$PQ_TIMEOUT" reply <&"$PQ_IN" || {
        pq_close
        return 2
    }
    pq_result <<<"$reply" || {
        pq_close
        return 1
    }
}

# pq_next SECONDS: reads the next notification into PQ_LINE; 4 if none came, 2 at the end. Nothing
# is lost when it is not called: the daemon keeps the rest in its log.
pq_next() {
    local status=0 part=''
    IFS= read -r -t "$1" part <&"$PQ_IN" || status=$?
    # The time may run out in the middle of a line.
    PQ_PART+=$part
    ((status == 0)) || { ((status > 128)) && return 4 || return 2; }
    PQ_LINE=$PQ_PART PQ_PART=''
}

# pq_close: ends the subscription.
pq_close() {
    [[ -n ${PQ_PROCESS:-} ]] || return 0
    kill "$PQ_PROCESS" 2>/dev/null
    exec {PQ_IN}<&- {PQ_OUT}>&-
    wait "$PQ_PROCESS" 2>/dev/null
    PQ_PROCESS=''
}

# pq_buy FILE INTENT PRODUCT [TOKEN]: buys a product once per intent and prints the transaction in
# the state in which it settled, or {"removed":…} if it left the queue before. It is not finished.
# Answers 1 if it failed or was discarded, 4 if it still waits.
pq_buy() {
    local key added id waited end state
    (($# >= 3)) || { pq_usage 'pq_buy FILE INTENT PRODUCT [TOKEN]'; return; }
    key=$(pq_key "$1" "$2") || return
    local -a words=("product=$3" "key=$key")
    [[ -n ${4:-} ]] && words+=("appAccountToken=$4")
    # The queue makes progress only while a client observes.
    pq_open "products:=$(jq -cn --arg p "$3" '[$p]')" >/dev/null || {
        local status=$?
        ((status != 2)) || pq_nobody
        return "$status"
    }
    added=$(pq_call add "${words[@]}") || { pq_close_with $?; return; }
    if jq -e 'has("removed")' <<<"$added" >/dev/null; then
        pq_close
        jq -c . <<<"$added"
        jq -e '.removed.reason == "finished"' <<<"$added" >/dev/null
        return
    fi
    id=$(jq -r .transaction <<<"$added")
    end=$((SECONDS + PQ_TIMEOUT))
    while ((SECONDS < end)); do
        waited=$(pq_call wait "transaction=$id" "timeout:=1") || { pq_close_with $?; return; }
        jq -e .reached <<<"$waited" >/dev/null && break
    done
    pq_close
    jq -c .transaction <<<"$waited"
    state=$(jq -r 'if .reached then .transaction.transactionState else "waiting" end' <<<"$waited")
    case $state in
    purchased | restored) return 0 ;;
    waiting) return 4 ;;
    *) return 1 ;;
    esac
}

pq_close_with() {
    pq_close
    return "$1"
}

# pq_may_unlock TRANSACTION: answers 0 if what was bought may be unlocked, else 1; finish it in any
# case. It is paid or restored, the store did not revoke it, and it does not begin later. Unlock by
# its transactionIdentifier: two transactions may name the same order.
pq_may_unlock() {
    (($# >= 1)) || { pq_usage 'pq_may_unlock TRANSACTION'; return; }
    jq -e '(.transactionState | IN("purchased", "restored"))
        and .revocation == null and .offer != "scheduled"' <<<"$1" >/dev/null
}

# pq_observe HANDLER [NAME:=JSON]...: hands every settled transaction to the handler, as JSON in its
# first argument, and finishes it after the handler answered 0; if it did not, hands it out again
# later. So a handler must not mind to see one twice. Runs forever, over restarts of the daemon.
# What is delivered again is held until the daemon says caughtUp. PQ_ON_EVENT, if set, names a
# command that gets each notification.
#
# A function of bash sees the local variables of its callers; hence the long names here and below.
pq_observe() {
    (($# > 0)) || { pq_usage 'pq_observe HANDLER [NAME:=JSON]...'; return; }
    local _pq_handler=$1 _pq_tries=0 _pq_is_held _pq_next_round _pq_left _pq_status _pq_is_told=''
    local _pq_products=null _pq_word
    local -a _pq_lines
    local -A _pq_pending=() _pq_put_off=() _pq_done=() _pq_unconfirmed=()
    shift
    for _pq_word; do
        [[ $_pq_word != products:=* ]] || _pq_products=${_pq_word#*=}
    done
    while :; do
        _pq_status=0
        pq_open "$@" >/dev/null || _pq_status=$?
        if ((_pq_status != 0)); then
            ((_pq_status != 3)) || return 3
            ((_pq_status != 2)) || pq_tell
            pq_rest
            continue
        fi
        _pq_tries=0 _pq_is_told='' _pq_is_held=1 _pq_next_round=$((SECONDS + PQ_RETRY_SECONDS))
        # Whatever is unfinished comes again before caughtUp.
        _pq_pending=() _pq_put_off=()
        while :; do
            _pq_left=$((_pq_next_round - SECONDS)) _pq_status=0
            pq_next "$((_pq_left > 0 ? _pq_left : 1))" || _pq_status=$?
            ((_pq_status == 2)) && break
            # What is there already is taken in at once: a filter for each line would be slow.
            _pq_lines=()
            while ((_pq_status == 0 && ${#_pq_lines[@]} < 256)); do
                _pq_lines+=("$PQ_LINE")
                [[ -n ${PQ_ON_EVENT:-} ]] && "$PQ_ON_EVENT" "$PQ_LINE"
                pq_next 0.01 || _pq_status=$?
            done
            ((${#_pq_lines[@]} == 0)) || pq_take_in < <(printf '%s\n' "${_pq_lines[@]}")
            if ((SECONDS >= _pq_next_round)); then
                _pq_next_round=$((SECONDS + PQ_RETRY_SECONDS)) _pq_put_off=()
                pq_take_in < <(pq_unfinished "$_pq_products")
            fi
            ((_pq_is_held)) || pq_hand_out
        done
        pq_close
        pq_rest
    done
}

# pq_tell: says that no daemon is there, once until one was.
pq_tell() {
    [[ -z $_pq_is_told ]] || return 0
    printf 'payqueued: cannot connect to %s; trying again\n' "$(pq_socket)" >&2
    _pq_is_told=1
}

# pq_rest: waits before another try to connect, longer each time.
pq_rest() {
    local -a pauses=(0.05 0.1 0.2 0.5 1 2)
    sleep "${pauses[_pq_tries]:-$PQ_LONGEST_PAUSE}"
    _pq_tries=$((_pq_tries + 1))
}

# pq_take_in: reads notifications and remembers what is to be handed out. What another worker has finished before
# it was handed out here is handed out all the same.
pq_take_in() {
    local action id transaction
    while IFS=$'\t' read -r action id transaction; do
        case $action in
        put) [[ -n ${_pq_done[$id]:-} ]] || _pq_pending[$id]=$transaction ;;
        drop)
            [[ -n ${_pq_pending[$id]:-} && -z ${_pq_put_off[$id]:-}${_pq_unconfirmed[$id]:-} ]] ||
                unset "_pq_pending[$id]" "_pq_put_off[$id]" ;;
        hide) _pq_pending=() _pq_is_held=1 ;;
        ready) _pq_is_held=0 ;;
        esac
    done < <(jq -r '
        if .method == "caughtUp" then "ready\t-\t-"
        elif .method != "event" then empty
        elif .params.kind == "storefrontChanged" then "hide\t-\t-"
        elif .params.kind == "transactionsRemoved" then .params.transactions[] | "drop\t\(.id)\t-"
        elif .params.kind == "transactionsUpdated" then .params.transactions[]
          | if (.transactionState | IN("purchased", "restored", "failed")) and (.completing | not)
            then "put\t\(.id)\t\(tojson)" else "drop\t\(.id)\t-" end
        else empty end')
}

# pq_unfinished PRODUCTS: prints what is settled and unfinished, page by page, as the daemon would
# deliver it. The daemon lists every product; PRODUCTS is a JSON array of those wanted, or null.
pq_unfinished() {
    local products=$1 page='' answer
    while :; do
        answer=$(pq_call transactions 'states:=["purchased","restored","failed"]' \
            ${page:+"page=$page"}) || return
        jq -c --argjson p "$products" '{method: "event", params: {kind: "transactionsUpdated",
            transactions: [.transactions[]
                | select($p == null or (.payment.product.productIdentifier | IN($p[])))]}}' \
            <<<"$answer"
        page=$(jq -r '.next // empty' <<<"$answer")
        [[ -n $page ]] || return 0
    done
}

# pq_hand_out: runs the handler for everything that is pending, and finishes what it returned from.
pq_hand_out() {
    local _pq_id
    local -a _pq_handled=()
    for _pq_id in "${!_pq_pending[@]}"; do
        [[ -z ${_pq_put_off[$_pq_id]:-} ]] || continue
        # When only the finish is missing the handler must not run again for that.
        if [[ -z ${_pq_unconfirmed[$_pq_id]:-} ]] &&
            ! "$_pq_handler" "${_pq_pending[$_pq_id]}"; then
            printf 'payqueued: the handler failed for %s; it comes again later\n' "$_pq_id" >&2
            _pq_put_off[$_pq_id]=1
            continue
        fi
        _pq_unconfirmed[$_pq_id]=1
        _pq_handled+=("$_pq_id")
        ((${#_pq_handled[@]} < 16)) || { pq_confirm "${_pq_handled[@]}"; _pq_handled=(); }
    done
    ((${#_pq_handled[@]} == 0)) || pq_confirm "${_pq_handled[@]}"
}

# pq_confirm TRANSACTION...: finishes them all on one connection. What got no good answer is put off,
# and only its finish is tried again.
pq_confirm() {
    local id answer socket
    socket=$(pq_socket)
    for id; do _pq_put_off[$id]=1; done
    [[ -S $socket ]] || return 0
    # An id is plain ASCII and needs no escapes; it also names the request.
    while IFS=$'\t' read -r id answer; do
        unset "_pq_put_off[$id]" "_pq_unconfirmed[$id]" "_pq_pending[$id]"
        [[ $answer == ignoredInFlight ]] || _pq_done[$id]=1
    done < <(
        for id; do
            printf '{"jsonrpc":"2.0","id":"%s","method":"finish","params":{"transaction":"%s"}}\n' \
                "$id" "$id"
        done | socat -t "$PQ_TIMEOUT" - "UNIX-CONNECT:$socket" 2>/dev/null |
            jq -r 'select(.result) | [.id, .result.disposition] | @tsv'
    )
}

# pq_watch FILE COMMAND [NAME:=JSON]...: hands each notification to the command, as JSON in its first
# argument, and remembers in FILE how far it has come. Runs forever, over restarts of the daemon and
# of the shell. What the command did not answer 0 to comes again, after a pause. A cursor that is no
# longer usable begins with what is unfinished, after a notification "gap" of this library's own.
pq_watch() {
    (($# >= 2)) || { pq_usage 'pq_watch FILE COMMAND [NAME:=JSON]...'; return; }
    local _pq_file=$1 _pq_command=$2 _pq_epoch _pq_seq _pq_answer _pq_gap _pq_tries=0
    local _pq_status _pq_is_told=''
    shift 2
    local -a _pq_place
    while :; do
        _pq_place=()
        if [[ -s $_pq_file ]]; then
            read -r _pq_epoch _pq_seq <"$_pq_file"
            _pq_place=("epoch=$_pq_epoch" "after:=$_pq_seq")
        fi
        _pq_answer=$_pq_file.answer
        _pq_status=0
        pq_open "$@" "${_pq_place[@]}" >"$_pq_answer" 2>&1 || _pq_status=$?
        if ((_pq_status != 0)); then
            ((_pq_status != 2)) || pq_tell
            if ((_pq_status == 3)); then
                cat "$_pq_answer" >&2
                rm -f "$_pq_answer"
                return 3
            fi
            _pq_gap=$(jq -c 'select(.code | IN(1301, 1302, 1303)) | {jsonrpc: "2.0", method: "gap",
                params: {reason: .data.kind, error: .data}}' "$_pq_answer" 2>/dev/null)
            rm -f "$_pq_answer"
            if [[ -n ${_pq_place[*]} && -n $_pq_gap ]] && pq_hand_over "$_pq_command" "$_pq_gap"; then
                : >"$_pq_file"
                continue
            fi
            pq_rest
            continue
        fi
        _pq_is_told='' _pq_epoch=$(jq -r .epoch <"$_pq_answer")
        rm -f "$_pq_answer"
        while :; do
            pq_next 3600
            case $? in
            0) ;;
            4) continue ;;
            *) break ;;
            esac
            # The next subscription begins with it.
            pq_hand_over "$_pq_command" "$PQ_LINE" || break
            _pq_tries=0
            _pq_seq=$(jq -r 'select(.method | IN("event", "caughtUp", "heartbeat")) | .params.seq' \
                <<<"$PQ_LINE")
            if [[ -n $_pq_seq ]]; then
                printf '%s %s\n' "$_pq_epoch" "$_pq_seq" >"$_pq_file.new" &&
                    mv "$_pq_file.new" "$_pq_file"
            fi
        done
        pq_close
        pq_rest
    done
}

# pq_hand_over COMMAND NOTIFICATION: runs the command, and complains if it failed.
pq_hand_over() {
    "$1" "$2" && return
    printf 'payqueued: %s failed; the notification comes again\n' "$1" >&2
    return 1
}
