import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { GUARD, OUTSIDE, RUN_SCRIPT } from './guard-script.ts'
import type { ControlGroups } from './control-groups.ts'
import { ripgrepPath } from './ripgrep-path.ts'
import {
  countsPerNamespace,
  type Limits,
  limitVariables,
  PROGRAM_DIRECTORIES,
  realLimits,
  type Sandbox,
  SYSTEM_DIRECTORIES,
  SYSTEM_PATH,
} from './sandbox.ts'
import { Tether } from './tether.ts'

export type RuntimeOptions = {
  limits: Limits
  groups?: ControlGroups | undefined
  readable: readonly string[]
  /** What a search needs beside the workspace and the system's programs. */
  searchable?: readonly string[]
  hidden: readonly string[]
  /** Where this process finds programs. */
  path: string
  /** The library's own programs outlive a server that is silent for so long by a second at most. */
  leaseMs: number
}

/** What the library wraps: it starts the command as the guard says, in an environment with nothing of the library's. */
const START =
  'exec env -i PATH="$PATH" PARLEY_GUARD="$PARLEY_MARK" bash -c "$PARLEY_INNER" parley "$PARLEY_RLIMIT" "$PARLEY_FILE_KB" "$PARLEY_DATA_KB" "$PARLEY_WORKSPACE"'

/**
 * `@anthropic-ai/sandbox-runtime` over bubblewrap: for systems where only bubblewrap may make namespaces. There is no
 * network inside: the library's proxy has an empty list, and the command does not get to know of it. Not for root.
 */
export async function runtimeSandbox({
  limits,
  groups,
  readable,
  searchable = [],
  hidden,
  path,
  leaseMs,
}: RuntimeOptions): Promise<Sandbox> {
  // The command would be root too, without capabilities but with root's files: /proc/sys/kernel/core_pattern is one.
  if (process.getuid?.() === 0) throw new Error('it does not hold when the server runs as root')
  for (const program of ['bwrap', 'socat'])
    if (!path.split(':').some((directory) => existsSync(join(directory, program))))
      throw new Error(`${program} is not installed`)
  const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime')
  const own = join(dirname(createRequire(import.meta.url).resolve('@anthropic-ai/sandbox-runtime')), '..', 'vendor')
  const allowRead = [...SYSTEM_DIRECTORIES, '/dev', '/proc', own, ...readable]
  const filesystem = { denyRead: ['/', ...hidden.filter(existsSync)], allowRead, allowWrite: [], denyWrite: [] }
  const ripgrep = { command: await ripgrepPath() }
  const tether = new Tether(leaseMs)
  const network = { allowedDomains: [], deniedDomains: [], strictAllowlist: true }
  await withVariables(tether.variables(), () => SandboxManager.initialize({ network, filesystem, ripgrep })).catch(
    (error: unknown) => {
      tether[Symbol.dispose]()
      throw error
    },
  )
  return {
    level: 'sandbox-runtime',
    reason: null,
    limits: { ...realLimits(groups, false), ...(countsPerNamespace && { processes: 'rlimit' }) },
    bounds: limits,
    groups,
    async close() {
      await SandboxManager.reset()
      tether[Symbol.dispose]()
    },
    async wrap({ workspace, reads, leaseMs, mark, purpose }) {
      const seen = purpose === 'search' ? [...PROGRAM_DIRECTORIES, '/dev', '/proc', own, ...searchable] : allowRead
      const seenToo = reads === undefined ? [workspace] : [workspace, reads]
      const places = { ...filesystem, allowRead: [...seen, ...seenToo], allowWrite: [workspace] }
      const { argv } = await SandboxManager.wrapWithSandboxArgv(
        START,
        'bash',
        { filesystem: places },
        undefined,
        workspace,
        { commandId: mark },
      )
      return {
        file: 'bash',
        args: ['-c', RUN_SCRIPT, 'parley', ...argv.map(harden)],
        cwd: workspace,
        env: {
          PATH: SYSTEM_PATH,
          PARLEY_SCRIPT: `exec 2>&1\nlaunch=("$@")\n${OUTSIDE}${GUARD}`,
          PARLEY_MARK: mark,
          ...limitVariables(limits, leaseMs, groups),
          // With those of the library itself; the kernel refuses more, and the guard, who sees one besides, ends it.
          ...(countsPerNamespace && {
            PARLEY_RLIMIT: String(limits.processes),
            PARLEY_PROCESSES: String(limits.processes),
          }),
        },
      }
    },
  }
}

/** The library gives its programs our environment, and asks nobody. */
async function withVariables(variables: Record<string, string>, start: () => Promise<void>): Promise<void> {
  Object.assign(process.env, variables)
  try {
    await start()
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name]
  }
}

const BUBBLEWRAP = /^bwrap (?=--)/
/** Large enough for the directories that lead to what is not hidden. */
const HIDDEN_BYTES = 1024 ** 2
const TMP_BYTES = 256 * 1024 ** 2
const SHM_BYTES = 64 * 1024 ** 2

/**
 * What the library leaves open: System V memory and queues, which it shares with the whole machine, and the places it
 * puts over what is hidden, each of which would take half of the memory.
 */
function harden(argument: string): string {
  if (!BUBBLEWRAP.test(argument)) return argument
  const closed: string[] = ['--remount-ro', '/dev']
  const hidden = argument.replaceAll(/ --tmpfs (\S+)/g, (_all, path: string) => {
    if (path === '/tmp') return ` --size ${TMP_BYTES} --tmpfs /tmp`
    closed.push('--remount-ro', path)
    return ` --size ${HIDDEN_BYTES} --tmpfs ${path}`
  })
  return hidden
    .replace(BUBBLEWRAP, 'bwrap --unshare-ipc --unshare-uts ')
    .replace(
      ' --dev /dev ',
      ` --tmpfs /sys --dev /dev --size ${SHM_BYTES} --tmpfs /dev/shm ${closed.join(' ')} --remount-ro /sys `,
    )
}
