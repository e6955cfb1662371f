import { existsSync } from 'node:fs'
import { release, totalmem } from 'node:os'
import type { ControlGroups } from './control-groups.ts'

/** How well commands are confined here: by sandbox-runtime, by the kernel's namespaces, or by nothing. */
export type SandboxLevel = 'sandbox-runtime' | 'unshare' | 'none'

/** What to start so that a guard runs the command; the command itself and its variables follow through a pipe. */
export type Launch = { file: string; args: string[]; env: Record<string, string>; cwd: string }

export type Limits = {
  /** Processes of one command; where the kernel counts them, threads too. */
  processes: number
  /** Bytes of memory that all processes of one command hold together. */
  memoryBytes: number
  /** Bytes of any one file that a command writes. */
  fileBytes: number
  /** Bytes that a workspace may hold. */
  workspaceBytes: number
  /** What commands leave free of the disk, and of the memory: so many bytes, or that part of it if it is less. */
  reserveBytes: number
  reservePart: number
}

export const LIMITS: Limits = {
  processes: 256,
  memoryBytes: 1024 ** 3,
  fileBytes: 1024 ** 3,
  workspaceBytes: 10 * 1024 ** 3,
  reserveBytes: 1024 ** 3,
  reservePart: 0.05,
}

/**
 * What really holds a command to each limit, for the operator to know. `cgroup`, `rlimit`: the kernel, at once. `watched`:
 * the guard or the server, who look several times a second and end the command; one that knows how can hide from them,
 * or be faster. `nice`: others go first. `none`: nothing.
 */
export type RealLimits = {
  memory: 'cgroup' | 'watched' | 'none'
  processes: 'cgroup' | 'rlimit' | 'watched' | 'none'
  cpu: 'cgroup' | 'nice'
  disk: 'watched'
  network: 'closed' | 'open'
}

/**
 * `search`: sees only the workspace and programs, so that a link in the workspace leads to nothing that tells anything.
 * `analysis`: no network, even where commands have one.
 */
export type Purpose = 'command' | 'search' | 'analysis'

/** Where a command works. */
export type Place = {
  /** The only thing it may change. */
  workspace: string
  /** Another workspace that it may read, with the rights of that one's commands. */
  reads?: string | undefined
}

/** A place where commands of a model run. Its level is told to the operator and decides whether every command asks. */
export interface Sandbox {
  readonly level: SandboxLevel
  /** Why no better level is in use; `null` at the best one. */
  readonly reason: string | null
  readonly limits: RealLimits
  readonly bounds: Limits
  /** Where the kernel takes them: one for each command. */
  readonly groups: ControlGroups | undefined
  /** For one command. `mark` is known to it alone. */
  wrap(options: Place & { leaseMs: number; mark: string; purpose?: Purpose }): Launch | Promise<Launch>
  close?(): Promise<void>
}

/** What a command finds in its environment beside the session's own variables. */
export function commandVariables(workspace: string, path: string): Record<string, string> {
  return { PATH: path, HOME: workspace, LANG: 'C.UTF-8', TMPDIR: '/tmp' }
}

export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Where the system keeps its programs and their settings: all that a command sees beside its workspace. */
export const SYSTEM_DIRECTORIES = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix/store',
]

/** Those of them that hold programs and nothing of this machine's own. */
export const PROGRAM_DIRECTORIES = SYSTEM_DIRECTORIES.filter((path) => !['/etc', '/opt'].includes(path))

/** Files of the system that hold secrets, whoever may read them. */
export const SECRET_FILES = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh',
  '/etc/ssl/private',
  '/etc/krb5.keytab',
  '/etc/pki/tls/private',
]

/** The guard, its relay, and those that weigh a workspace: not the command's. */
const OWN_PROCESSES = 8
/** How much commands give way to others, where no control group weighs them. */
const NICE = 5

/** What the guard is told of the limits. `PARLEY_RLIMIT` is off here: that limit counts all processes of a user. */
export function limitVariables(limits: Limits, leaseMs: number, groups?: ControlGroups): Record<string, string> {
  const memory = String(Math.floor(limits.memoryBytes / 1024))
  return {
    PARLEY_LEASE_MS: String(leaseMs),
    PARLEY_PROCESSES: groups?.has('pids') ? '' : String(limits.processes + OWN_PROCESSES),
    PARLEY_RLIMIT: '0',
    PARLEY_MEMORY_KB: groups?.has('memory') ? '' : memory,
    PARLEY_DATA_KB: memory,
    PARLEY_KEPT_KB: String(Math.floor(Math.min(limits.reserveBytes, totalmem() * limits.reservePart) / 1024)),
    PARLEY_FILE_KB: String(Math.floor(limits.fileBytes / 1024)),
    PARLEY_NICE: groups?.has('cpu') ? '' : String(NICE),
  }
}

/** Whether the limit counts the processes of a user namespace by themselves; before 5.14 it counted all of a user. */
export const countsPerNamespace = (() => {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
})()

/** What is real of the limits wherever a guard runs. */
export function realLimits(groups: ControlGroups | undefined, network: boolean): RealLimits {
  const watched = existsSync('/proc/self/statm') ? 'watched' : 'none'
  return {
    memory: groups?.has('memory') ? 'cgroup' : watched,
    processes: groups?.has('pids') ? 'cgroup' : watched,
    cpu: groups?.has('cpu') ? 'cgroup' : 'nice',
    disk: 'watched',
    network: network ? 'open' : 'closed',
  }
}
