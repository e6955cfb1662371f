/** Through a variable: as an argument the whole text would stand in every list of processes. */
export const RUN_SCRIPT = 'script=$PARLEY_SCRIPT; unset PARLEY_SCRIPT; eval "$script"'

/**
 * The guard, as text for `bash -c`: a file beside the source would not be found from the bundle. Bash and not Node: a
 * guard costs 4 MB and 5 ms. It is told by variables:
 *
 *   PARLEY_LEASE_MS, PARLEY_PROCESSES, PARLEY_RLIMIT, PARLEY_MEMORY_KB, PARLEY_FILE_KB   limits
 *   launch=(…)   set by the text before it: what runs a program with the command's rights
 *   members, sweep   functions set by the text before it: list the command's processes; kill all but the relay
 *
 * and by descriptors: 3 brings a beat (an empty line) at least every lease and takes the report, 4 holds the command's
 * variables and the command itself, each ended by a NUL. When 3 closes or falls silent everything is killed.
 */
export const GUARD = `
inner='
  ulimit -c 0 -f "$2" -d "$3" 2>/dev/null
  [ "$1" = 0 ] || ulimit -u "$1"
  set --
  while IFS= read -r -d "" part <&4; do set -- "$@" "$part"; done
  exec 4<&-
  unset OLDPWD SHLVL _ part
  # From here on no name is ours: a variable of the session may have any.
  while (($# > 1)); do export "$1" 2>/dev/null; shift; done
  exec bash -c "$1"
'
export PARLEY_INNER=$inner
set +eu
trap : PIPE # a report to a dead server must not end the guard before its work is done
exec 5> >(exec cat 3<&- 4<&-)
relay=$!
# A pipe belongs to whoever made it, and /dev/stderr is opened anew by those who write to it.
[[ \${PARLEY_UID:-} ]] && chown "$PARLEY_UID" /proc/self/fd/5
"\${launch[@]}" env -i PATH="$PATH" \${mark:+"$mark"} bash -c "$inner" parley "$PARLEY_RLIMIT" "$PARLEY_FILE_KB" "$PARLEY_MEMORY_KB" </dev/null >&5 2>&1 3<&- 5>&- &
command=$!
set +m
# Nobody may be reading any more, and a guard that waits to say that a job was killed guards nothing.
exec 4<&- 5>&- 2>/dev/null

clock() { now=\${EPOCHREALTIME/[.,]/}; now=\${now:-\${SECONDS}000000}; }
clock; beaten=$now looked=$now
page=$(getconf PAGESIZE 2>/dev/null)
page=$((\${page:-4096} / 1024)) large=$((65536 / page))

report() { printf '%s\\n' "$1" >&3; } 2>/dev/null
finish() { sweep all; report "$1"; exit 1; }

# Waits for a process of ours while beats come and limits hold.
watch() {
  local got tick begun=$now
  while kill -0 "$1" 2>/dev/null; do
    # Short commands are not kept waiting, long ones cost next to nothing.
    if ((BASH_VERSINFO[0] < 5)); then tick=1; elif ((now - begun < 2000000)); then tick=0.005; else tick=0.05; fi
    IFS= read -r -t "$tick" <&3; got=$?
    clock
    if ((got == 0)); then beaten=$now; elif ((got <= 128)); then finish closed; fi
    ((now - beaten > PARLEY_LEASE_MS * 1000)) && finish silent
    ((now - looked > 100000)) || continue
    looked=$now
    measure
    ((count > PARLEY_PROCESSES)) && finish processes
    ((kilobytes > PARLEY_MEMORY_KB)) && finish memory
  done
}

# What processes map from files counts for nobody; shared memory counts where it is large.
measure() {
  local pid size resident shared own
  count=0 kilobytes=0
  members
  for pid in "\${pids[@]}"; do
    { read -r size resident shared _ < "/proc/$pid/statm"; } 2>/dev/null || continue
    own=$((resident - shared))
    ((shared > large)) && own=$((own + shared - large))
    count=$((count + 1)) kilobytes=$((kilobytes + own * page))
  done
}

watch "$command"
wait "$command" 2>/dev/null
status=$?
sweep relay
watch "$relay"
report "exit $status"
sweep all
exit 0
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
