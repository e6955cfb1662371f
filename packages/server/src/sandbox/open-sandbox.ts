import { existsSync } from 'node:fs'
import { access, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ControlGroups, openControlGroups } from './control-groups.ts'
import { noSandbox } from './no-sandbox.ts'
import { ripgrepPath } from './ripgrep-path.ts'
import { startGuarded } from './run-guarded.ts'
import { runtimeSandbox } from './runtime-sandbox.ts'
import { LIMITS, type Limits, type Sandbox, SECRET_FILES, SYSTEM_PATH } from './sandbox.ts'
import { unshareSandbox } from './unshare-sandbox.ts'

export type OpenSandboxOptions = {
  /** Must exist. Hidden but for the workspace of the command; the trial runs in it. */
  dataDir: string
  /** More that no command may see, e.g. the configuration file. */
  hidden?: readonly string[]
  /** Directories outside the system's that commands may read, e.g. those of skills; also inside hidden ones. */
  readable?: readonly string[]
  /** Lets commands reach the network, the server's own loopback included. Default false. */
  network?: boolean
  limits?: Limits
  /** The best level to try. Default `sandbox-runtime`; `none` for operators who confine the server itself. */
  best?: Sandbox['level']
  /** Where commands without a sandbox find programs. */
  path?: string
  /** How long what a sandbox starts for itself may outlive a silent server. Default 10 000. */
  leaseMs?: number
}

const TRIAL_MS = 5_000

/** The best confinement that this machine really gives: each level is tried with a command that attempts to leave. */
export async function openSandbox(options: OpenSandboxOptions): Promise<Sandbox> {
  const { limits = LIMITS, network = false, best = 'sandbox-runtime', path = SYSTEM_PATH, leaseMs = 10_000 } = options
  const dataDir = await realpath(options.dataDir)
  const searchable = await ripgrepPath().then(
    (path) => [dirname(path)],
    () => [],
  )
  const readable = [...(options.readable ?? []), dirname(await realpath(process.execPath))]
  const hidden = [dataDir, ...SECRET_FILES, ...(options.hidden ?? [])]
  const isRoot = process.getuid?.() === 0
  const failures: string[] = []
  const tried = async (name: string, open: () => Sandbox | Promise<Sandbox>): Promise<Sandbox | undefined> => {
    const outcome = await tryOut(open, dataDir)
    if (typeof outcome !== 'string') return { ...outcome, reason: failures.join('; ') || null }
    failures.push(`${name}: ${outcome}`)
  }
  const groups = openControlGroups(limits)
  const places = { readable, searchable, hidden }
  const runtime = () =>
    tried('sandbox-runtime', () => runtimeSandbox({ limits, groups, ...places, path: SYSTEM_PATH, leaseMs }))
  const namespaces = () => tried('unshare', () => unshareSandbox({ limits, groups, network, ...places, isRoot }))
  const order = best === 'sandbox-runtime' && !network ? [runtime, namespaces] : [namespaces]
  if (best !== 'none')
    for (const level of order) {
      const sandbox = await level()
      if (sandbox) return closing(sandbox, groups)
    }
  return closing(noSandbox({ limits, groups, path, reason: failures.join('; ') || 'switched off' }), groups)
}

function closing(sandbox: Sandbox, groups: ControlGroups | undefined): Sandbox {
  return {
    ...sandbox,
    async close() {
      await sandbox.close?.()
      groups?.[Symbol.dispose]()
    },
  }
}

/** The sandbox, if a command in it can write its workspace and neither see the data directory nor write outside. */
async function tryOut(open: () => Sandbox | Promise<Sandbox>, dataDir: string): Promise<Sandbox | string> {
  const directory = await mkdtemp(join(dataDir, 'sandbox-trial-'))
  const workspace = join(directory, 'workspace')
  const secret = join(directory, 'secret')
  let sandbox: Sandbox | undefined
  let holds = false
  try {
    await mkdir(workspace, { mode: 0o700 })
    await writeFile(secret, 'secret')
    const outside = join(directory, 'outside')
    const command = `echo made > made; cat '${secret}' || echo hidden; : > '${outside}'; : > /etc/parley-trial || echo kept`
    sandbox = await open()
    const running = await startGuarded({
      sandbox,
      workspace,
      command: `{ ${command}; } 2>/dev/null`,
      env: {},
      leaseMs: TRIAL_MS,
    })
    const timer = setTimeout(() => running.kill(), TRIAL_MS)
    let said = ''
    for await (const text of running.output.setEncoding('utf8')) said += text
    clearTimeout(timer)
    await running.ended
    if (said.trim() !== 'hidden\nkept') return firstLine(said) || 'a command could not be started'
    await access(join(workspace, 'made'))
    if (existsSync(outside)) return 'a command could write outside its workspace'
    holds = true
    return sandbox
  } catch (error) {
    return (error as Error).message
  } finally {
    if (!holds) await sandbox?.close?.()
    await rm(directory, { recursive: true, force: true })
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}
