/** Pages of System V shared memory that a command may have: 64 MB where a page has four kilobytes. */
const SHARED_PAGES = 16_384

/**
 * Builds the world a command sees, as text for `bash -c`, inside fresh namespaces: an empty root, into which come the
 * system's programs (read-only), a few devices, its own /proc and /tmp, and the workspace. What is not brought in does
 * not exist there. Then it becomes the guard, as the first process of the namespace.
 *
 *   PARLEY_WORKSPACE   the only place the command may change
 *   PARLEY_READS   another workspace, read-only; may be empty
 *   PARLEY_SYSTEM, PARLEY_READABLE   what to bring in, one path a line
 *   PARLEY_HIDDEN   what to blot out of it
 *   PARLEY_UID   the command's user; empty: the server's own, in a user namespace
 */
export const UNSHARE_SETUP = `
set -eu
exec 2>&1
# When memory runs out all the same, the kernel shall take the command and not the server; with its guard, all of it.
{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null || :
# Memory, queues and semaphores that outlive whoever made them, and that no process shows.
for limit in 'shmall ${SHARED_PAGES}' 'shmmni 64' 'msgmni 32' 'sem 250 3200 32 64'; do
  { echo "\${limit#* }" > "/proc/sys/kernel/\${limit%% *}"; } 2>/dev/null || :
done
# Covers nothing that is needed: no workspace lies in /sys, and nobody shall see it.
new=/sys
mount -t tmpfs -o mode=755,size=4m,nosuid,nodev parley "$new"

bring() {
  [[ -e $1 || -L $1 ]] || return 0
  [[ -d $new\${1%/*} ]] || mkdir -p "$new\${1%/*}"
  if [[ -L $1 ]]; then cp -P "$1" "$new$1"; return; fi
  if [[ -d $1 ]]; then mkdir -p "$new$1"; else : > "$new$1"; fi
  mount --rbind "$1" "$new$1"
  # A mount below a mount keeps its own flags, so each is changed; those it has must stay, or the kernel refuses.
  mapfile -t mounts < /proc/self/mountinfo
  for line in "\${mounts[@]}"; do
    read -r _ _ _ _ place options _ <<< "$line"
    printf -v place %b "$place"
    [[ $place == "$new$1" || $place == "$new$1"/* ]] || continue
    mount -o "remount,bind,nosuid,nodev,\${options/#rw/ro}" "$place"
  done
}
hide() {
  if [[ -d $new$1 ]]; then mount -t tmpfs -o mode=711,size=64k,nosuid,nodev parley "$new$1"
  elif [[ -e $new$1 ]]; then mount --bind /dev/null "$new$1"; fi
}
mapfile -t system <<< "$PARLEY_SYSTEM"
mapfile -t readable <<< "$PARLEY_READABLE"
mapfile -t hidden <<< "$PARLEY_HIDDEN"
for path in "\${system[@]}"; do bring "$path"; done
for path in "\${hidden[@]}"; do hide "$path"; done
mkdir "$new/tmp"
mount -t tmpfs -o mode=1777,size=256m,nosuid,nodev parley "$new/tmp"
# What was named readable may lie in what is hidden, and the other way round.
for path in "\${readable[@]}"; do
  [[ $path && ! -e $new$path ]] || continue
  bring "$path"
  for inner in "\${hidden[@]}"; do [[ $inner != "$path"/* ]] || hide "$inner"; done
done

mkdir -p "$new"/{dev/shm,proc,.old,.box}
for device in null zero full random urandom; do
  : > "$new/dev/$device"
  mount --bind "/dev/$device" "$new/dev/$device"
done
cp -P /dev/{fd,stdin,stdout,stderr} "$new/dev"
mount -t tmpfs -o mode=1777,size=64m,nosuid,nodev parley "$new/dev/shm"
mount -t proc -o nosuid,nodev,noexec proc "$new/proc"
mkdir -p "$new$PARLEY_WORKSPACE"
mount --rbind "$PARLEY_WORKSPACE" "$new$PARLEY_WORKSPACE"
if [[ $PARLEY_READS ]]; then
  mkdir -p "$new$PARLEY_READS"
  mount --bind "$PARLEY_READS" "$new$PARLEY_READS"
fi

cd "$new"
pivot_root . .old
umount -l .old
rmdir .old
mount -o remount,bind,ro,nosuid,nodev /
mount -o remount,bind,nosuid,nodev "$PARLEY_WORKSPACE"
cd "$PARLEY_WORKSPACE"

drop=(--no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all)
if [[ $PARLEY_UID ]]; then
  # Only here, where everything but the workspace is read-only, may root walk a tree that somebody else changes.
  # What it then misses is nobody's output.
  find . \${PARLEY_READS:+"$PARLEY_READS"} -xdev ! -uid "$PARLEY_UID" -exec chown -h "$PARLEY_UID:$PARLEY_UID" {} + 2>/dev/null || :
  mount -o remount,bind,ro,nosuid,nodev,noexec /proc
  launch=(setpriv --reuid="$PARLEY_UID" --regid="$PARLEY_UID" --clear-groups "\${drop[@]}" --)
else
  launch=(setpriv "\${drop[@]}" --)
fi
[[ ! $PARLEY_READS ]] || mount -o remount,bind,ro,nosuid,nodev "$PARLEY_READS"
# The same world once more: who is not at the root of all mounts may make no user namespace, in which it could mount
# memory that nobody counts, and reach more of the kernel than a command has any need for.
mount --rbind / /.box
launch=(chroot /.box "\${launch[@]}")
# A second user namespace: in it the command has its own name again, and no say over the mounts made here.
[[ $PARLEY_UID ]] || launch=(unshare --user --keep-caps --map-user="$PARLEY_USER" --map-group="$PARLEY_GROUP" -- "\${launch[@]}")
launch=(setsid "\${launch[@]}")
`
