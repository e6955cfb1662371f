import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chownSync, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openControlGroups } from '../../src/sandbox/control-groups.ts'
import { noSandbox } from '../../src/sandbox/no-sandbox.ts'
import { openSandbox } from '../../src/sandbox/open-sandbox.ts'
import { type GuardedEnd, startGuarded } from '../../src/sandbox/run-guarded.ts'
import { LIMITS, type Limits, type Sandbox, SECRET_FILES, SYSTEM_PATH } from '../../src/sandbox/sandbox.ts'
import { unshareSandbox } from '../../src/sandbox/unshare-sandbox.ts'

// Real sandboxes in a directory of their own, laid out like a server's. Knows no test runner.

/** Whose rights the server has, and what it confines with: namespaces of its own where nothing else is said. */
export type Rights = 'root' | 'root without control groups' | 'user' | 'user with sandbox-runtime'

export type Place = AsyncDisposable & {
  dataDir: string
  workspace: string
  /** Of another session. */
  theirs: string
  /** With sandbox-runtime it is in another process, whose user is not root. */
  sandbox: Sandbox
  run: (command: string, options?: RunOptions) => Promise<Ran>
}

export type RunOptions = { env?: Record<string, string>; timeoutMs?: number; reads?: string }
export type Ran = { output: string; end: GuardedEnd }

export const SECRET = 'the-secret-of-the-server'
export const NOTE = 'the-note-of-somebody-else'

const NOBODY = 65_534
const isRootHere = process.getuid?.() === 0
/** Root cannot use sandbox-runtime, so nobody does in its place, who must be able to read what it runs. */
const borrowed = isRootHere ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
const RUNTIME_WORKER = join(import.meta.dirname, 'workers/runtime-command.ts')
const canBorrow = (() => {
  const isInstalled = ['bwrap', 'socat'].every((name) =>
    SYSTEM_PATH.split(':').some((path) => existsSync(join(path, name))),
  )
  const [look, ...at] = [...borrowed, 'test', '-r', RUNTIME_WORKER, '-a', '-x', process.execPath]
  return isInstalled && spawnSync(look!, at).status === 0
})()

export type PlaceOptions = { network?: boolean; limits?: Limits; readable?: (dataDir: string) => string[] }

export async function openPlace(
  rights: Rights,
  { network = false, limits = LIMITS, readable = () => [] }: PlaceOptions = {},
): Promise<Place> {
  const { dataDir, workspace, theirs } = await layOut()
  if (rights === 'user with sandbox-runtime') {
    giveAway(dataDir)
    const sandbox = noSandbox({ limits, groups: undefined, path: SYSTEM_PATH, reason: 'never used' })
    const place = placeOf({ dataDir, workspace, theirs, sandbox })
    const given = { dataDir, workspace, limits, readable: readable(dataDir), hidden: hiddenIn(dataDir) }
    return { ...place, run: async (command, options) => runInRuntime({ ...given, ...options, command }) }
  }
  const isRoot = rights !== 'user'
  const groups = rights === 'root' ? openControlGroups(limits) : undefined
  const hidden = hiddenIn(dataDir)
  const sandbox = unshareSandbox({ limits, groups, network, readable: readable(dataDir), hidden, isRoot })
  const isBorrowed = !isRoot && isRootHere
  if (isBorrowed) giveAway(dataDir)
  return placeOf({ dataDir, workspace, theirs, sandbox: isBorrowed ? asNobody(sandbox) : sandbox })
}

/** Under the guard, and in no sandbox. */
export async function openBarePlace(limits: Limits = LIMITS): Promise<Place> {
  const { dataDir, workspace, theirs } = await layOut()
  return placeOf({ dataDir, workspace, theirs, sandbox: await openSandbox({ dataDir, limits, best: 'none' }) })
}

/** Which of the two this machine can show. */
export async function rightsHere(): Promise<Rights[]> {
  const users: Rights[] = canBorrow ? ['user', 'user with sandbox-runtime'] : ['user']
  const wanted: Rights[] = isRootHere ? ['root', 'root without control groups', ...users] : users
  const works = await Promise.all(
    wanted.map(async (rights) => {
      await using place = await openPlace(rights)
      if (rights === 'root' && !place.sandbox.groups) return false
      return (await place.run('echo it works')).output === 'it works\n'
    }),
  )
  return wanted.filter((_, index) => works[index])
}

const POLL_MS = 20

/** Polls until it holds; throws after `withinMs`. Time in which a busy machine kept this process waiting does not count. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs: number, what: string): Promise<void> {
  let deadline = performance.now() + withinMs
  for (;;) {
    const asked = performance.now()
    if (await holds()) return
    if (asked > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    const rested = performance.now()
    await delay(POLL_MS)
    deadline += Math.max(0, performance.now() - rested - 2 * POLL_MS)
  }
}

/** Whether a process, other than this and `except`, has the text in its environment, arguments or directory. */
export function isAlive(token: string, except = 0): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid) || [process.pid, except].includes(Number(pid))) return false
    const texts = [contentOf(`/proc/${pid}/environ`), contentOf(`/proc/${pid}/cmdline`), targetOf(`/proc/${pid}/cwd`)]
    return texts.some((text) => text.includes(token))
  })
}

async function runInRuntime(options: RunOptions & { command: string }): Promise<Ran> {
  const node = [process.execPath, '--conditions=parley-source', RUNTIME_WORKER, JSON.stringify(options)]
  const [file, ...args] = [...borrowed, ...node]
  const ran = await promisify(execFile)(file!, args, { cwd: '/', env: { PATH: SYSTEM_PATH }, timeout: 25_000 })
  return JSON.parse(ran.stdout) as Ran
}

function hiddenIn(dataDir: string): string[] {
  return [dataDir, join(dataDir, 'skills', 'private'), ...SECRET_FILES]
}

async function layOut() {
  const directory = await mkdtemp(join(await realpath(tmpdir()), 'parley-sandbox-'))
  await chmod(directory, 0o755)
  const dataDir = join(directory, 'data')
  const workspace = join(dataDir, 'workspaces', `sess_${randomUUID()}`)
  const theirs = join(dataDir, 'workspaces', `sess_${randomUUID()}`)
  await mkdir(workspace, { recursive: true, mode: 0o700 })
  await mkdir(theirs, { mode: 0o700 })
  await writeFile(join(dataDir, 'secret.txt'), SECRET)
  await writeFile(join(theirs, 'note.txt'), NOTE)
  await mkdir(join(dataDir, 'skills', 'private'), { recursive: true })
  await writeFile(join(dataDir, 'skills', 'SKILL.md'), 'a skill\n')
  await writeFile(join(dataDir, 'skills', 'private', 'key.txt'), SECRET)
  await writeFile(join(workspace, 'mine.txt'), 'mine')
  return { dataDir, workspace, theirs }
}

function placeOf({
  dataDir,
  workspace,
  theirs,
  sandbox,
}: Pick<Place, 'dataDir' | 'workspace' | 'theirs' | 'sandbox'>): Place {
  return {
    dataDir,
    workspace,
    theirs,
    sandbox,
    async run(command, { env = {}, timeoutMs = 10_000, reads } = {}) {
      const running = await startGuarded({ sandbox, workspace, reads, command, env, leaseMs: 5_000 })
      const timer = setTimeout(running.kill, timeoutMs)
      let output = ''
      running.output.setEncoding('utf8').on('data', (text: string) => (output += text))
      const end = await running.ended
      clearTimeout(timer)
      return { output, end }
    },
    async [Symbol.asyncDispose]() {
      sandbox.groups?.[Symbol.dispose]()
      await rm(join(dataDir, '..'), { recursive: true, force: true })
    },
  }
}

/** The same launch with the rights of nobody: how it is for a server that root does not run. */
function asNobody(sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    async wrap(options) {
      const { file, args, env, cwd } = await sandbox.wrap(options)
      const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', file, ...args]
      return { file: 'setpriv', args: user, cwd, env: { ...env, PARLEY_USER: `${NOBODY}`, PARLEY_GROUP: `${NOBODY}` } }
    },
  }
}

function giveAway(directory: string): void {
  if (!isRootHere) return
  chownSync(directory, NOBODY, NOBODY)
  for (const entry of readdirSync(directory, { recursive: true }))
    chownSync(join(directory, String(entry)), NOBODY, NOBODY)
}

function contentOf(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, 'latin1') : ''
  } catch {
    return '' // ended meanwhile, or not ours to see
  }
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
