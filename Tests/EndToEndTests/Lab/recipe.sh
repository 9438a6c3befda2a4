#!/usr/bin/env bash
# Adds the method sample.echo by the steps of the page on adding a method, shows what follows by itself and which
# test names a step that is left out, and removes the method again.
#   recipe.sh
# The tree stays as it is: an overlay in a mount namespace of its own takes every change, those of the build too.
# Exits with the status of the step that failed; 77 where it cannot run.
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
if [ -z "${RECIPE_OVERLAY:-}" ]; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "skip everything: it takes root"
        exit 77
    fi
    overlay=$(mktemp -d "${TMPDIR:-/var/tmp}/recipe-XXXXXX")
    trap 'rm -rf "$overlay"' EXIT
    mkdir "$overlay/upper" "$overlay/work"
    RECIPE_OVERLAY=$overlay unshare --mount bash "$0"
    exit
fi
mount --make-rprivate /
mount -t overlay overlay \
    -o "lowerdir=$tree,upperdir=$RECIPE_OVERLAY/upper,workdir=$RECIPE_OVERLAY/work" "$tree"
cd "$tree"
pieces=Tests/EndToEndTests/Lab/recipe
list=Sources/PaymentAPI/Contract/Contract.swift
handlers=Sources/PaymentServer/Handlers/DaemonHandlers.swift
recorded="$list $handlers clients Sources/payqueued/Documentation.docc"
before=$(git status --porcelain)$(git diff)
# shellcheck disable=SC2086
tar -cf "$RECIPE_OVERLAY/before.tar" $recorded

# Runs tests by name. TidyTests read the files as they are and need no other build.
try() {
    local build=()
    [[ $1 == TidyTests.* ]] && build=(--skip-build)
    swift test --disable-xctest --explicit-target-dependency-import-check error "${build[@]}" \
        --filter "$1" >.build/recipe.log 2>&1
}
fails() { # TESTS SENTENCE
    if try "$1" || ! grep -qF "$2" .build/recipe.log; then
        echo "FAILED: no test says \"$2\""
        grep -E 'error:|✘' .build/recipe.log | head -n 20
        exit 1
    fi
    echo "named: $2"
}
passes() { # TESTS
    try "$1" || { echo "FAILED: $1"; grep -E 'error:|✘|↳' .build/recipe.log | head -n 20; exit 1; }
    echo "passes: $1"
}

insert() { # TEXT MARK FILE
    python3 -c 'import sys
text, mark, path = sys.argv[1:]
old = open(path).read()
open(path, "w").write(old.replace(mark, text + mark, 1))' "$1" "$2" "$3"
}

cp $pieces/method.txt Sources/PaymentAPI/Methods/SampleEcho.swift
fails TidyTests.MethodRecipeTests/followed 'is not in Contract.methods'
fails TidyTests.MethodRecipeTests/followed 'has no handler in PaymentServer/Handlers'
insert "SampleEcho.self, " "HelpMethod.self" $list
insert "methods.register(SampleEcho.self, sampleEcho)
        " "methods.register(Cancel.self" $handlers
insert "$(cat $pieces/handler.txt)

" "    func cancel(" $handlers
fails TidyTests.MethodRecipeTests/followed 'is called by no transcript and no test'
cp $pieces/transcript.txt clients/transcripts/12-sample.jsonl
fails 'PaymentAPITests' 'record it with RECORD=1'
RECORD=1 try 'PaymentAPITests' || true
for file in clients/openrpc.json Sources/payqueued/Documentation.docc/Methods.md \
    clients/python/payqueued/{contract,requests}.py clients/node/contract.d.cts clients/go/contract.go \
    clients/rust/src/contract.rs; do
    grep -qiE 'sample.?echo' $file || { echo "FAILED: $file has no sample.echo"; exit 1; }
    echo "follows: $file"
done
passes 'PaymentAPITests|TidyTests.TidyTests|MethodRecipeTests/followed|EndToEndTests.(TranscriptTests|HelpTests)'

rm Sources/PaymentAPI/Methods/SampleEcho.swift clients/transcripts/12-sample.jsonl
tar -xf "$RECIPE_OVERLAY/before.tar"
[ "$(git status --porcelain)$(git diff)" = "$before" ] || { echo "FAILED: something is left"; exit 1; }
echo "removed without a trace"
