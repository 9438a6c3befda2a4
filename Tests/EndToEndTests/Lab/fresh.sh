#!/usr/bin/env bash
# Follows the README on a bare Debian that has Swift and make and nothing else that people would install.
#   fresh.sh ROOT
# ROOT is a Debian 12 made by debootstrap; it stays as it is. The commit that is checked out is cloned into a
# copy, then `make demo` and `make test` run there, each from a shell without this machine's environment.
# Prints what each step took. Exits with the status of the step that failed; 77 where it cannot run.
# shellcheck disable=SC2317
set -euo pipefail
lower=$(readlink -f "$1")
tree=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
swift=$(readlink -f "$(command -v swift)")
toolchain=${swift%/usr/bin/*}
if [ "$(id -u)" -ne 0 ]; then
    echo "skip everything: it takes root"
    exit 77
fi
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/upper" "$scratch/work" "$scratch/root"

inside() {
    root=$scratch/root
    mount --make-rprivate /
    mount -t overlay -o "lowerdir=$lower,upperdir=$scratch/upper,workdir=$scratch/work" overlay "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    # An overlay does not count as a disk; temporary files are to be on one.
    mkdir "$scratch/tmp"
    chmod 1777 "$scratch/tmp"
    mount --bind "$scratch/tmp" "$root/tmp"
    # The toolchain, and where this machine keeps packages that git takes for those of the network.
    local places name place
    places=("$toolchain")
    while read -r name _; do
        place=${name#url.}
        place=${place%.insteadof}
        [ -d "$place" ] && places+=("$place")
    done < <(git config --system --get-regexp '^url\..*\.insteadof$' || true)
    for place in "${places[@]}"; do
        mkdir -p "$root$place"
        mountpoint -q "$root$place" || mount --bind "$place" "$root$place"
    done
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mkdir -p "$root/etc/ssl/certs" "$root/srv"
    [ ! -f /etc/gitconfig ] || cp /etc/gitconfig "$root/etc/gitconfig"
    [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/pip.conf"
    git clone -q "$tree" "$root/srv/payqueued"

    bare() {
        chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 CI="${CI:-}" \
            PATH="$toolchain/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
            bash -euo pipefail -c "$1"
    }
    step() {
        local begin=$SECONDS status=0
        bare "cd /srv/payqueued && $2" || status=$?
        echo "fresh: $1 ended with $status after $((SECONDS - begin)) s"
        return "$status"
    }
    # What the toolchain takes on Debian 12, and make.
    bare 'export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update
        apt-get -qq -y --no-install-recommends install make git ca-certificates binutils gcc libc6-dev \
            libstdc++-12-dev libcurl4 libedit2 libncurses6 libsqlite3-0 libxml2 libpython3.11 pkg-config \
            tzdata zlib1g-dev >/dev/null'
    cp -r /etc/ssl/certs/. "$root/etc/ssl/certs/"
    bare 'dpkg-query -W -f="\${Package}\n" | sort' >"$scratch/before"
    step 'make demo' 'make demo'
    bare 'dpkg-query -W -f="\${Package}\n" | sort' >"$scratch/after"
    if ! cmp -s "$scratch/before" "$scratch/after"; then
        echo "fresh: make demo installed $(comm -13 "$scratch/before" "$scratch/after" | xargs)"
        return 1
    fi
    # The README names in one line what its examples need.
    local needed
    needed=$(sed -n 's/.*`apt install \([^`]*\)`.*/\1/p' "$tree/README.md")
    bare "DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $needed >/dev/null"
    bare 'command -v socat jq python3'
    step 'make test' 'make test'
    # The README is typed by a test; there it must not have been skipped.
    step 'README' 'swift test --skip-build --disable-xctest --filter NewcomerTests 2>&1 | tee /tmp/readme.log
        ! grep -i skip /tmp/readme.log'
}
export -f inside
export scratch lower tree toolchain
unshare --mount --pid --fork --kill-child bash -euo pipefail -c inside
