// What a fresh clone lacks, brought by one call. No dependencies, and old enough JavaScript for the system's Node 20.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import { bringMermaid, isMermaidThere } from '../packages/chatkit/bring-mermaid.mjs'
import { prepareWords } from './prepare-words.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'node_modules', '.parley-installed')
const words = prepareWords(process.env)

/**
 * What runs, and what it is made of, its own folder first. Each is built from the sources, without a look at their types:
 * a start needs neither the compiler nor what checks and tests the code. The last holds parts that another one makes.
 */
const BUNDLES = [
  [
    { made: 'bundle/main.js', of: ['packages/server', 'packages/protocol', 'packages/tools'] },
    { made: 'bundle/main.js', of: ['packages/cli', 'packages/client', 'packages/protocol'] },
    { made: 'bundle/embed.js', of: ['packages/chatkit', 'packages/client', 'packages/protocol'] },
    { made: 'bundle/index.js', of: ['packages/tools'] },
  ],
  [{ made: 'bundle/index.html', of: ['apps/console', 'packages/chatkit', 'packages/client', 'packages/protocol'] }],
]

/** Installs what a start lacks, finds the right Node and bundles what is stale. Returns the path of that Node. */
export async function prepare() {
  await install('start')
  const node = findNode()
  await bundle(node)
  return node
}

/** The same with everything there is: what checks and tests, and the compiled packages with their types. */
export async function prepareAll() {
  await install('all')
  const node = findNode()
  const output = await withProgress(words.compile, () => runTool(node, ['node_modules/typescript/bin/tsc', '-b']))
  if (output !== null) fail(words.buildFailed(output))
  await bundle(node)
  return node
}

/** `'start'`: only what a start needs. Once all is there it stays: a start then keeps everything up to date. */
export async function install(wanted) {
  const before = installed()
  const extent = before.extent === 'all' ? 'all' : wanted
  const isThere = before.fingerprint === fingerprint() && (before.extent === extent || before.extent === 'all')
  const lacks = isThere && (systemNodeWillDo() || existsSync(broughtNode())) ? [] : [() => npmInstall(extent)]
  if (!(await isMermaidThere())) lacks.push(bringMermaid)
  if (lacks.length === 0) return

  const output = await withProgress(words.install[extent], async () => {
    const outputs = (await Promise.all(lacks.map((bring) => bring()))).filter((text) => text !== null)
    return outputs.length > 0 ? outputs.join('\n') : null
  })
  if (output !== null) fail(installFailure(output))
  try {
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, `${extent} ${fingerprint()}`)
  } catch (error) {
    fail(words.notWritable(`${root} (${error.code})`))
  }
}

/** A package's own dependencies are what it runs on, its development dependencies what it is built of; all else is the root's. */
function npmInstall(extent) {
  const runs = ['packages/server', 'packages/cli', 'packages/chatkit', 'packages/tools', 'apps/console']
  if (!systemNodeWillDo()) runs.push('scripts/node-24')
  const only = extent === 'all' ? [] : runs.map((folder) => `--workspace=${folder}`)
  return output({ command: 'npm', args: ['install', '--no-audit', '--no-fund', '--loglevel=error', ...only] })
}

/** What the stamp says. It once held nothing but the fingerprint, of everything. */
function installed() {
  if (!existsSync(stamp)) return { extent: 'none', fingerprint: '' }
  const [hash, extent = 'all'] = readFileSync(stamp, 'utf8').split(' ').reverse()
  return { extent, fingerprint: hash }
}

/** The Node that npm brought, which all of us use if it is there; else the system's, if it is new enough. */
export function findNode() {
  if (existsSync(broughtNode())) return broughtNode()
  if (systemNodeWillDo()) return process.execPath
  return fail(words.oldNode(process.version))
}

function broughtNode() {
  return join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
}

function systemNodeWillDo() {
  return Number(process.versions.node.split('.')[0]) >= 24
}

async function bundle(node) {
  for (const group of BUNDLES) {
    const stale = group.filter(isStale)
    if (stale.length === 0) continue
    const output = await withProgress(words.build(stale.map(({ of: [folder] }) => basename(folder))), async () => {
      const outputs = await Promise.all(stale.map(({ of: [folder] }) => runTool(node, [`${folder}/build.mjs`])))
      return outputs.find((text) => text !== null) ?? null
    })
    if (output !== null) fail(words.buildFailed(output))
  }
}

/** Older than one of its sources, or than the packages it is made of. */
function isStale({ made, of }) {
  const home = join(root, of[0])
  const file = join(home, made)
  if (!existsSync(file)) return true
  const builders = readdirSync(home)
    .filter((name) => /\.(mjs|html)$|^vite\.config/.test(name))
    .map((name) => join(home, name))
  const sources = of.flatMap((folder) => {
    const src = join(root, folder, 'src')
    return [src, ...readdirSync(src, { encoding: 'utf8', recursive: true }).map((path) => join(src, path))]
  })
  const since = statSync(file).mtimeMs
  return [stamp, ...builders, ...sources].some((path) => existsSync(path) && statSync(path).mtimeMs > since)
}

function runTool(node, args) {
  // A test's NODE_ENV would make React's slow edition.
  const { NODE_ENV: _, ...env } = process.env
  return output({ command: node, args, env })
}

/** Runs a program with our Node first in its PATH and hands its exit code on. */
export function run(node, args, env = {}) {
  const child = spawn(node, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}`, ...env },
  })
  // A terminal sends Ctrl-C to all of us, and npm once more to us; a second one would end the server at once.
  const isInTerminal = [0, 1, 2].some((stream) => isatty(stream))
  process.on('SIGINT', () => isInTerminal || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // npm does not pass every signal on; when it is gone, so is the reason to go on.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 1_000).unref()
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0))))
}

export function fail(message) {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}

function fingerprint() {
  const hash = createHash('sha256')
  const manifests = ['package.json', 'package-lock.json']
  for (const folder of ['packages', 'apps'])
    if (existsSync(join(root, folder)))
      for (const name of readdirSync(join(root, folder)).sort()) manifests.push(join(folder, name, 'package.json'))
  for (const file of manifests)
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

/** Nothing is silent for more than ten seconds: a log gets a line this often. */
const SIGN_OF_LIFE_MS = 8_000

/** Shows how long `work` takes, and hands on what it returns: `null` when it went well, else what was printed. */
async function withProgress(title, work) {
  const started = Date.now()
  const seconds = () => Math.round((Date.now() - started) / 1000)
  const isTerminal = process.stderr.isTTY
  const show = () => {
    const line = words.since(title, seconds())
    process.stderr.write(isTerminal ? `\r${line} ` : `${line}\n`)
  }
  show()
  const timer = setInterval(show, isTerminal ? 1_000 : SIGN_OF_LIFE_MS)
  const failure = await work()
  clearInterval(timer)
  const end = failure === null ? words.done(title, seconds()) : words.failed(title)
  process.stderr.write(`${isTerminal ? '\r' : ''}${end}\n`)
  return failure
}

/** `null` when it went well, else what it printed. */
async function output({ command, args, env = process.env }) {
  const child = spawn(command, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: command === 'npm' && process.platform === 'win32',
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.code))
    child.on('exit', resolve)
  })
  return code === 0 ? null : printed || String(code)
}

/** A sentence for what a person can mend; npm's own words only where we have none. */
function installFailure(output) {
  const log = /A complete log of this run can be found in:\s*(\S+)/.exec(output)?.[1]
  const details = log ? `\n${words.details(log)}` : ''
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|network/i.test(output)) return words.noRegistry + details
  if (/EROFS|EACCES|EPERM/.test(output)) return words.notWritable(root) + details
  if (/ENOSPC/.test(output)) return words.diskFull + details
  return words.installFailed(output.trim())
}
