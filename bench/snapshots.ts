/**
 * What does the state of a workspace cost that a conversation can go back to? The first one, one of an unchanged workspace,
 * one with a changed file, and going back; beside `git add` and `git write-tree` on the same files, in the same run, and how
 * long other sessions had to wait meanwhile. Run: node --conditions=parley-source bench/snapshots.ts
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { Snapshots } from '../packages/server/src/snapshots/snapshots.ts'
import { openGate } from '../packages/server/src/store/gate.ts'
import { openSqlite } from '../packages/server/src/store/sqlite/engine.ts'
import { runSql } from '../packages/server/src/store/work.ts'
import { Workspaces } from '../packages/server/src/workspace/workspaces.ts'

const MiB = 1024 ** 2
const run = promisify(execFile)
const signal = new AbortController().signal

type Kind = { name: string; fill: (workspace: string) => Promise<void>; changed: string }

const KINDS: Kind[] = [
  {
    name: '1 GiB in 100 files',
    fill: (workspace) => fill(workspace, { files: 100, size: (1024 * MiB) / 100 }),
    changed: 'd0/f7',
  },
  {
    name: '50 000 files of 4 kB',
    fill: (workspace) => fill(workspace, { files: 50_000, size: 4_000 }),
    changed: 'd0/f7',
  },
]

console.log(
  '| workspace | what | ms | CPU ms | others waited ms, p99 and most | git ms |\n| --- | --- | --- | --- | --- | --- |',
)
for (const kind of KINDS) await measure(kind)

async function measure({ name, fill: fillIn, changed }: Kind): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-snapshots-'))
  try {
    await using engine = await openSqlite({ directory: dataDir, now: Date.now })
    const workspaces = new Workspaces(dataDir)
    // A minute ahead: files that were made just now would be read again.
    const now = () => Date.now() + 60_000
    const snapshots = new Snapshots({ engine, workspaces, logger: pino({ level: 'warn' }), now })
    const session_id = 'sess_bench'
    await engine.write(() => openGate(session_id))
    const workspace = await workspaces.make(session_id)
    await fillIn(workspace)
    const git = gitBeside(workspace, join(dataDir, 'git'))
    await git('init', '-q')
    let sequence = 0
    const take = async (what: string) => {
      sequence++
      await engine.write(() =>
        runSql(
          `INSERT INTO turns (session_id, sequence, turn_id, loop_id, status, projection) VALUES (?, ?, ?, 'root', '', '"role":"user"')`,
          [session_id, sequence, `turn_${sequence}`],
        ),
      )
      const ours = await timed(() => snapshots.beforeWrite(session_id))
      const theirs = await timed(async () => {
        await git('add', '-A')
        await git('write-tree')
      })
      say([name, what], ours, theirs.ms)
    }
    await take('first state')
    await take('unchanged')
    await take('unchanged, again')
    await appendFile(join(workspace, changed), 'more')
    await take('one file changed')
    const back = await timed(() => snapshots.restore(session_id, { before: 1 }, signal))
    const theirs = await timed(() => git('checkout-index', '-a', '-f'))
    say([name, 'going back, one file'], back, theirs.ms)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

function say(about: string[], { ms, cpu, p99, most }: Timed, git: number): void {
  const cells = [...about, ms.toFixed(0), cpu.toFixed(0), `${p99.toFixed(0)}, ${most.toFixed(0)}`, git.toFixed(0)]
  console.log(`| ${cells.join(' | ')} |`)
}

type Timed = { ms: number; cpu: number; p99: number; most: number }

async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const before = process.cpuUsage()
  const started = performance.now()
  await work()
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(before)
  delay.disable()
  return { ms, cpu: (user + system) / 1_000, p99: delay.percentile(99) / 1e6, most: delay.max / 1e6 }
}

/** A hundred files in each directory; what is in them cannot be compressed. */
async function fill(workspace: string, { files, size }: { files: number; size: number }): Promise<void> {
  for (let directory = 0; directory < files / 100; directory++) await mkdir(join(workspace, `d${directory}`))
  for (let file = 0; file < files; file++)
    await writeFile(join(workspace, `d${Math.floor(file / 100)}`, `f${file}`), randomBytes(Math.floor(size)))
}

function gitBeside(workspace: string, directory: string): (...args: string[]) => Promise<unknown> {
  const env = { ...process.env, GIT_DIR: directory, GIT_WORK_TREE: workspace }
  return (...args) => run('git', args, { cwd: workspace, env })
}
