// The first ten minutes with Parley, timed: from an empty directory with packages of a registry, and from a clone. Prints
// what each step takes: seconds of the machine, megabytes over the line, and clicks and key presses of the person.
// `npm run stopwatch -- npm` or `-- clone`: only one of them. `--node=24`: on a machine that has Node 24.
import { ok as isTrue } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { freePort, megabytes, newcomersEnvironment } from '../walk/newcomer.ts'
import { openTerminal } from '../walk/terminal.ts'
import { startRegistry } from './registry.ts'
import { HEADER, line, startStopwatch, total } from './steps.ts'
import { tellStory } from './story.ts'

const ROOT = join(import.meta.dirname, '../..')
const PUBLISHED = ['protocol', 'tools', 'client', 'chatkit', 'agent-kit', 'server', 'cli']
const GOAL_SECONDS = 60
const LIMIT_MS = 15 * 60_000
const INSTALL_MS = 10 * 60_000

const WAYS = {
  npm: { bring: 'npm i @parley/server @parley/cli', command: 'npx parley serve' },
  clone: { bring: `git clone -q '${ROOT}' .`, command: 'npm start' },
}
const [asked] = process.argv.slice(2).filter((word) => word in WAYS)
const hasNode24 = process.argv.includes('--node=24')

setTimeout(() => {
  process.stderr.write(`Nothing came of it within ${LIMIT_MS / 60_000} minutes.\n`)
  process.exit(1)
}, LIMIT_MS).unref()

const above = await mkdtemp(join(tmpdir(), 'parley-stopwatch-'))
try {
  const tarballs = join(above, 'packed')
  await mkdir(tarballs)
  if (asked !== 'clone') pack(tarballs)
  for (const [name, way] of Object.entries(WAYS))
    if (asked === undefined || asked === name) await time(name, way, tarballs)
} finally {
  await rm(above, { recursive: true, force: true, maxRetries: 5, retryDelay: 1_000 })
}
process.exit()

async function time(
  name: string,
  { bring, command }: { bring: string; command: string },
  tarballs: string,
): Promise<void> {
  await using registry = await startRegistry(tarballs)
  const directory = join(above, name)
  await mkdir(directory)
  const env = newcomersEnvironment({
    npm_config_registry: registry.url,
    npm_config_cache: join(above, `cache-${name}`),
    XDG_CACHE_HOME: join(above, `cache-${name}`),
  })
  if (hasNode24) env['PATH'] = dirname(process.execPath) + delimiter + env['PATH']
  const ports = { parley: await freePort(8020), shop: await freePort(8030) }
  const stopwatch = startStopwatch(registry)

  process.stdout.write(`\n${HEADER}\n`)
  await stopwatch.step(`\`${bring.replace(ROOT, '…')}\``, async () => {
    await using terminal = openTerminal(bring, { directory, env })
    isTrue((await terminal.ends(INSTALL_MS)) === 0, terminal.screen())
    return { keys: bring.replace(ROOT, 'https://host/parley').length + 1 }
  })
  await tellStory({ stopwatch, directory, env, ports, command, withinMs: INSTALL_MS })
  const all = total('**in all**', stopwatch.steps)
  process.stdout.write(`${line(all)}\n\n`)
  process.stdout.write(`${megabytes(join(directory, 'node_modules'))} MB in node_modules. `)
  process.stdout.write(all.seconds <= GOAL_SECONDS ? 'Within the goal' : `Over the goal of ${GOAL_SECONDS} s`)
  process.stdout.write('; the model is a stand-in, everything else is real.\n')
}

/** As a release does it. */
function pack(folder: string): void {
  execFileSync(process.execPath, [join(ROOT, 'scripts/prepack.mjs')], {
    cwd: join(ROOT, 'packages/server'),
    stdio: 'inherit',
  })
  const workspaces = PUBLISHED.map((name) => `--workspace=@parley/${name}`)
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder, ...workspaces], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
