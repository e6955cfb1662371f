/**
 * Runs the script that a variable holds: as an argument the whole text would stand in every list of processes. First it
 * closes every descriptor that nobody meant to give it: of a server's own some stay open over an exec.
 */
export const RUN_SCRIPT = `
for fd in /dev/fd/*; do
  fd=\${fd##*/}
  [[ $fd == *[!0-9]* ]] || ((fd < 5 + \${PARLEY_JOINS:-0})) || eval "exec $fd>&-"
done
script=$PARLEY_SCRIPT; unset PARLEY_SCRIPT fd; eval "$script"`

/**
 * How long it has been quiet, in hundredths of a second, by a clock that nobody can set; to be told to `pass` after every
 * wait. /proc/uptime runs on while a machine sleeps, so one step counts for a quarter of the lease at most: a server that
 * slept or was stopped together with its guard is heard before it is judged. Without /proc waits count, a second each.
 */
export const CLOCK = `
uptime=0 quiet=0 passed=0
wait_for() { tick=$1; ((BASH_VERSINFO[0] < 4)) || [[ ! -r /proc/uptime ]] && tick=1; }
pass() {
  local before=$uptime
  if { read -r uptime _ < /proc/uptime; } 2>/dev/null; then
    uptime=$((10#\${uptime/./})) passed=$((uptime - before))
    ((passed * 40 <= PARLEY_LEASE_MS)) || passed=$((PARLEY_LEASE_MS / 40))
  else passed=100; fi
  quiet=$((quiet + passed))
}
`

/** Open files of one process of a command, at most. Much of what they lead to is memory that no process shows. */
const MAX_FILES = 4_096

/**
 * The guard, as text for `bash -c`: a file beside the source would not be found from the bundle. Bash and not Node: a
 * guard costs 4 MB and 5 ms. It is told by variables:
 *
 *   PARLEY_LEASE_MS, PARLEY_RLIMIT, PARLEY_DATA_KB, PARLEY_FILE_KB   limits
 *   PARLEY_PROCESSES, PARLEY_MEMORY_KB   limits that the guard watches; empty where a control group holds them
 *   PARLEY_KEPT_KB   memory that the machine keeps: when less is left, who may have taken much is ended
 *   PARLEY_JOINS   how many descriptors, from 5 on, lead into the command's control groups
 *   PARLEY_NICE   by how much the command gives way to others; empty where a control group does that
 *   PARLEY_WORKSPACE, PARLEY_DEVICE   what `size` weighs, and the number of the device it lies on
 *   launch=(…)   set by the text before it: what runs a program with the command's rights
 *   members, sweep   functions set by the text before it: list the command's processes; kill all but the relay
 *
 * and by descriptors: 3 brings a beat (an empty line) at least every lease and takes the report, 4 holds the command's
 * variables and the command itself, each ended by a NUL; after one more NUL comes what the command reads, else it reads
 * nothing. When 3 closes or falls silent everything is killed. A beat that says `size` asks what the workspace holds;
 * `size N` in kilobytes comes back, `part` behind it if not all was seen.
 */
export const GUARD = `
inner='
  ulimit -c 0 -f "$2" -d "$3" 2>/dev/null
  ulimit -n ${MAX_FILES} 2>/dev/null
  [ "$1" = 0 ] || ulimit -u "$1"
  trap "" XFSZ # to write too much shall be an error, and not the end of the shell
  cd "$4"
  set --
  while IFS= read -r -d "" part <&4; do
    [ "$part" ] || { exec <&4; break; }
    set -- "$@" "$part"
  done
  exec 4<&-
  unset OLDPWD SHLVL _ part
  # From here on no name is ours: a variable of the session may have any.
  while (($# > 1)); do export "$1" 2>/dev/null; shift; done
  exec bash -c "$1"
'
export PARLEY_INNER=$inner
set +eu
trap : PIPE # a report to a dead server must not end the guard before its work is done
exec 9> >(exec cat 3<&- 4<&-)
relay=$!
# A pipe belongs to whoever made it, and /dev/stderr is opened anew by those who write to it.
[[ \${PARLEY_UID:-} ]] && chown "$PARLEY_UID" /proc/self/fd/9
{
  for ((fd = 5; fd < 5 + PARLEY_JOINS; fd++)); do echo 0 >&"$fd" && eval "exec $fd>&-" || exit; done
  # When memory runs out all the same, the kernel shall take the command and not the server.
  { echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null
  exec \${PARLEY_NICE:+nice -n "$PARLEY_NICE"} "\${launch[@]}" env -i PATH="$PATH" \${mark:+"$mark"} \
    bash -c "$inner" parley "$PARLEY_RLIMIT" "$PARLEY_FILE_KB" "$PARLEY_DATA_KB" "$PARLEY_WORKSPACE"
} </dev/null >&9 2>&1 3<&- 9>&- &
command=$!
set +m
# Nobody may be reading any more, and a guard that waits to say that a job was killed guards nothing.
exec 4<&- 5>&- 6>&- 7>&- 8>&- 9>&- 2>/dev/null
${CLOCK}
report() { printf '%s\\n' "$1" >&3; } 2>/dev/null
finish() { sweep all; leave "$1" 1; }
leave() { [[ $weighing ]] && kill -9 "$weighing" 2>/dev/null; report "$1"; exit "$2"; }

# Waits for a process of ours while beats come and limits hold.
watch() {
  local got line said= age=0 since=0
  pass; quiet=0
  while kill -0 "$1" 2>/dev/null; do
    # Short commands are not kept waiting, long ones cost next to nothing.
    if ((age < 200)); then wait_for 0.005; else wait_for 0.05; fi
    IFS= read -r -t "$tick" line <&3; got=$?
    pass
    said=$said$line # a wait that ends may leave half of a line
    if ((got == 0)); then quiet=0; elif ((got <= 128)); then finish closed; fi
    ((quiet * 10 > PARLEY_LEASE_MS)) && finish silent
    if ((got == 0)); then [[ $said == size ]] && weigh; said=; fi
    age=$((age + passed)) since=$((since + passed))
    ((since >= 10)) || continue
    since=0
    [[ $PARLEY_PROCESSES || $PARLEY_MEMORY_KB ]] || continue
    measure
    [[ $PARLEY_PROCESSES ]] && ((count > PARLEY_PROCESSES)) && finish processes
    [[ $PARLEY_MEMORY_KB ]] && ((kilobytes > PARLEY_MEMORY_KB)) && finish memory
  done
}

# What processes map from files counts for nobody; shared memory counts where it is large, mapped or not.
measure() {
  local pid size resident shared left more=0 kb device
  [[ $page ]] || { page=$(getconf PAGESIZE 2>/dev/null); page=$((\${page:-4096} / 1024)); }
  count=0 kilobytes=0
  members
  for pid in "\${pids[@]}"; do
    { read -r size resident shared _ < "/proc/$pid/statm"; } 2>/dev/null || continue
    count=$((count + 1)) kilobytes=$((kilobytes + (resident - shared) * page))
    ((shared * page > 65536)) && more=$((more + shared * page - 65536))
  done
  [[ $PARLEY_MEMORY_KB ]] || return
  # Counting these costs more than all the rest.
  if ((looks++ % 3 == 0)); then
    held=0
    while read -r kb device _; do [[ $device == "$PARLEY_DEVICE" ]] || held=$((held + kb)); done < <(nameless)
  fi
  kilobytes=$((kilobytes + (held > more ? held : more)))
  # What is hidden well, in sockets say, is missing from the machine all the same: before that gets short, it ends.
  { read -r; read -r; read -r _ left _; } < /proc/meminfo
  ((left > most)) && most=$left
  ((left < PARLEY_KEPT_KB && most - left > PARLEY_MEMORY_KB)) && kilobytes=$((PARLEY_MEMORY_KB + 1))
}

# Files that are open and have no name, each once: kilobytes, device, number. Memory files are of that kind, and deleted ones.
nameless() {
  local pid fd paths=()
  for pid in "\${pids[@]}"; do
    for fd in /proc/"$pid"/fd/*; do
      # Most processes have none, and then nothing need be started.
      [[ -f $fd ]] && { paths+=("/proc/$pid/fd"); break; }
    done
  done
  ((\${#paths[@]})) && find -L "\${paths[@]}" -maxdepth 1 -type f -links 0 -printf '%k %D %i\\n' 2>/dev/null | sort -u
}

# Answers by itself, whenever it is done; a command that goes on meanwhile is looked at again.
weigh() {
  {
    timeout 20 du -skx -- "$PARLEY_WORKSPACE" || echo part
    members; nameless
  } 2>/dev/null 3>&- | {
    sum=0 part=
    while read -r kb device _; do
      if [[ $kb == part ]]; then part=' part'
      elif [[ $device == /* || $device == "$PARLEY_DEVICE" ]]; then sum=$((sum + kb)); fi
    done
    report "size $sum$part"
  } >/dev/null &
  weighing=$!
}

most=0
watch "$command"
wait "$command" 2>/dev/null
status=$?
sweep relay
watch "$relay"
sweep all
leave "exit $status" 0
`

/** In a process namespace of its own, as its first process: its end is the end of everything inside. */
export const INSIDE = `
members() { pids=(/proc/[1-9]*); pids=("\${pids[@]#/proc/}"); }
sweep() {
  [[ $1 == all ]] && return # the kernel does it
  local round pid others
  for round in 1 2 3 4 5 6 7 8; do
    members; others=0
    for pid in "\${pids[@]}"; do
      [[ $pid == 1 || $pid == "$relay" ]] || { kill -9 "$pid" 2>/dev/null && others=1; }
    done
    ((others)) || return
  done
}
`

/**
 * Among all other processes: the command's are its descendants, its process group, and whoever carries its mark in the
 * environment. A command that wants to can shake all three off; where that matters there is a sandbox.
 */
export const OUTSIDE = `
mark="PARLEY_GUARD=$PARLEY_MARK"
members() { pids=(); descend "$command"; }
descend() {
  local child children file
  pids+=("$1")
  for file in /proc/"$1"/task/*/children; do
    { read -r -a children < "$file"; } 2>/dev/null
    for child in "\${children[@]}"; do descend "$child"; done
    children=()
  done
}
sweep() {
  local round pid found
  for round in 1 2 3 4 5 6 7 8; do
    members
    found=$(grep -lsF "$mark" /proc/[1-9]*/environ 2>/dev/null)
    for pid in $found; do pid=\${pid#/proc/}; pids+=("\${pid%/environ}"); done
    kill -9 -- "-$command" 2>/dev/null || [[ $found ]] || ((round == 1)) || break
    kill -9 "\${pids[@]}" 2>/dev/null
  done
  [[ $1 == all ]] && kill -9 "$relay" 2>/dev/null
}
set -m # the command gets a process group of its own
`
