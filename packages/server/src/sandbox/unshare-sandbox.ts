import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { GUARD, INSIDE, RUN_SCRIPT } from './guard-script.ts'
import type { ControlGroups } from './control-groups.ts'
import {
  countsPerNamespace,
  type Limits,
  limitVariables,
  PROGRAM_DIRECTORIES,
  type Purpose,
  realLimits,
  type Sandbox,
  SYSTEM_DIRECTORIES,
  SYSTEM_PATH,
} from './sandbox.ts'
import { UNSHARE_SETUP } from './unshare-script.ts'

export type UnshareOptions = {
  limits: Limits
  groups?: ControlGroups | undefined
  network: boolean
  readable: readonly string[]
  /** What a search needs beside the workspace and the system's programs. */
  searchable?: readonly string[]
  hidden: readonly string[]
  /** True: with the rights of root, each workspace under a user of its own. False: in a user namespace. */
  isRoot: boolean
}

/** The kernel's namespaces through util-linux, hardened: no privilege is left to undo them with. */
export function unshareSandbox({
  limits,
  groups,
  network,
  readable,
  searchable = [],
  hidden,
  isRoot,
}: UnshareOptions): Sandbox {
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--ipc', '--uts', '--cgroup']
  if (!isRoot) namespaces.push('--user', '--map-root-user')
  const net = (purpose: Purpose = 'command') => (network && purpose !== 'analysis' ? [] : ['--net'])
  const resolver = network ? ['/run/systemd/resolve', '/run/resolvconf'] : []
  const hasRlimit = countsPerNamespace || isRoot
  const real = realLimits(groups, network)
  return {
    level: 'unshare',
    reason: null,
    limits: hasRlimit && real.processes === 'watched' ? { ...real, processes: 'rlimit' } : real,
    bounds: limits,
    groups,
    wrap: ({ workspace, reads, leaseMs, purpose }) => ({
      file: 'setpriv',
      args: ['--pdeathsig=KILL', 'unshare', ...namespaces, ...net(purpose), 'bash', '-c', RUN_SCRIPT],
      cwd: '/',
      env: {
        PATH: SYSTEM_PATH,
        PARLEY_SCRIPT: UNSHARE_SETUP + INSIDE + GUARD,
        PARLEY_WORKSPACE: workspace,
        PARLEY_READS: reads ?? '',
        PARLEY_READABLE: (purpose === 'search' ? searchable : [...readable, ...resolver]).join('\n'),
        PARLEY_HIDDEN: hidden.join('\n'),
        PARLEY_SYSTEM: (purpose === 'search' ? PROGRAM_DIRECTORIES : SYSTEM_DIRECTORIES).join('\n'),
        PARLEY_UID: isRoot ? String(userOf(reads ?? workspace)) : '',
        PARLEY_USER: String(process.getuid?.() ?? 0),
        PARLEY_GROUP: String(process.getgid?.() ?? 0),
        ...limitVariables(limits, leaseMs, groups),
        PARLEY_RLIMIT: hasRlimit ? String(limits.processes) : '0',
      },
    }),
  }
}

/** One user per workspace, so that no session's processes count against, or may signal, another's. */
function userOf(workspace: string): number {
  const { first, count } = userRange
  return first + (createHash('sha256').update(workspace).digest().readUInt32BE() % count)
}

/** Above what systemd gives to containers; in a container that has fewer users, the last ones it has. */
const userRange = (() => {
  let known = 0
  try {
    for (const line of readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n')) {
      const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number)
      known = Math.max(known, inside + count)
    }
  } catch {
    // Not Linux: nobody will ask.
  }
  if (known > 2_100_000_000) return { first: 1_900_000_000, count: 200_000_000 }
  return known > 65_000 ? { first: 60_600, count: 4_000 } : { first: 1, count: Math.max(1, known - 1) }
})()
