#!/bin/sh
# Becomes the first process of a machine that is thrown away: a real systemd in namespaces of its own, on
# a layer in memory above a root file system that stays as it is. machine.py starts it by `unshare`.
#
#   boot.sh FOLDER LOWER    FOLDER: an empty one to mount in; LOWER: the root file system, / or another
set -eu
memory=$1
lower=$2
root=$memory/root

mount --make-rprivate /
mount -t tmpfs -o mode=755 lab "$memory"
mkdir "$memory/changes" "$memory/work" "$root"
mount -t overlay -o "lowerdir=$lower,upperdir=$memory/changes,workdir=$memory/work" lab "$root"

# The kernel is the host's: what would change it is read-only.
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,ro,bind "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom tty; do
    : > "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for stream in 0:stdin 1:stdout 2:stderr; do
    ln -s "fd/${stream%:*}" "$root/dev/${stream#*:}"
done
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
mount -t tmpfs -o mode=755 run "$root/run"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"

# Nothing of the host's own services, and nothing that would reach for its devices.
units=$root/etc/systemd/system
rm -rf "$units" "$root/etc/fstab" "$root/var/log/journal" "$root/usr/sbin/policy-rc.d" \
    "$root"/etc/apt/apt.conf.d/*packagekit* "$root/etc/apt/apt.conf.d/docker-clean"
mkdir -p "$units" "$root/etc/systemd/journald.conf.d"
# There is no network to get packages from, so apt need not read what there would be; and nobody looks
# for a manual by its subject.
rm -rf "$root/var/lib/apt/lists" "$root/var/lib/man-db/auto-update"
mkdir -p "$root/var/lib/apt/lists/partial"
for unit in systemd-udevd systemd-udev-trigger systemd-sysctl systemd-modules-load systemd-binfmt \
    systemd-random-seed systemd-remount-fs systemd-firstboot systemd-timesyncd systemd-networkd \
    systemd-update-utmp; do
    ln -s /dev/null "$units/$unit.service"
done
for unit in dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
    sys-kernel-config.mount sys-fs-fuse-connections.mount getty.target; do
    ln -s /dev/null "$units/$unit"
done
cat > "$units/lab.target" << 'EOF'
[Unit]
Requires=basic.target
After=basic.target
AllowIsolate=yes
EOF
cat > "$root/etc/systemd/journald.conf.d/lab.conf" << 'EOF'
[Journal]
Storage=volatile
RuntimeMaxUse=48M
RateLimitIntervalSec=0
EOF
printf '%032x\n' 0x1ab > "$root/etc/machine-id"

cd "$root"
mkdir -p .outside
pivot_root . .outside
umount -l /.outside
rmdir /.outside
# In what looks like a container systemd leaves this out, and credentials would be empty.
mount --make-rshared /
exec env -i container=lab PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --system --unit=lab.target --log-target=journal --show-status=no
