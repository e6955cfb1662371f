// What a fresh clone lacks, brought by one call. No dependencies, and old enough JavaScript for the system's Node 20.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'node_modules', '.parley-installed')

/** Installs what is missing, finds the right Node and builds what is stale. Returns the path of that Node. */
export async function prepare() {
  await install()
  const node = findNode()
  await build(node)
  return node
}

export async function install() {
  const wanted = fingerprint()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error']
  const output = await withProgress('Installing packages (once, one to three minutes)', { command: 'npm', args })
  if (output !== null) fail(installFailure(output))
  try {
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, fingerprint())
  } catch (error) {
    fail(`Cannot write to ${root} (${error.code}). Parley installs its packages there; make it writable and try again.`)
  }
}

/** On Linux the Node that npm brought; elsewhere the system's, if it is new enough. */
export function findNode() {
  if (process.platform === 'linux') {
    const node = join(root, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')
    if (existsSync(node)) return node
  }
  const major = Number(process.versions.node.split('.')[0])
  if (major >= 24) return process.execPath
  return fail(
    `Parley needs Node 24 or newer; this is ${process.version}. Install it from nodejs.org and run the same command again.`,
  )
}

export async function build(node) {
  await runTool('Compiling what has changed', node, ['node_modules/typescript/bin/tsc', '-b'])
  if (isStale('packages/server/bundle/main.js', ['server', 'protocol', 'tools']))
    await runTool('Bundling the server', node, [
      'node_modules/rolldown/bin/cli.mjs',
      '-c',
      'packages/server/rolldown.config.mjs',
    ])
  // The first is written last; the second is part of the kit for those who build it themselves.
  if (isStale('packages/chatkit/bundle/embed.js', ['chatkit', 'client', 'protocol'], EMBED) || !existsSync(MERMAID))
    await runTool('Building the chat for web pages', node, [
      'node_modules/vite/bin/vite.js',
      'build',
      '-c',
      'packages/chatkit/embed.config.mjs',
    ])
}

/** The compiler does not look at these. */
const EMBED = [
  ...readdirSync(join(root, 'packages/chatkit/src'), { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.css'))
    .map((file) => `src/${file}`),
  ...['embed.config.mjs', 'build-parts.mjs'],
].map((file) => `packages/chatkit/${file}`)
const MERMAID = join(root, 'packages/chatkit/bundle/mermaid.js')

/** Older than what the compiler last wrote for one of these packages, or than the packages it is made of. */
function isStale(bundle, packages, files = []) {
  const made = join(root, bundle)
  if (!existsSync(made)) return true
  const infos = packages.map((name) => `packages/${name}/tsconfig.tsbuildinfo`)
  const sources = [stamp, ...[...infos, ...files].map((file) => join(root, file))]
  return sources.some((file) => existsSync(file) && statSync(file).mtimeMs > statSync(made).mtimeMs)
}

async function runTool(title, node, args) {
  // A test's NODE_ENV would make React's slow edition.
  const { NODE_ENV: _, ...env } = process.env
  const output = await withProgress(title, { command: node, args, env })
  if (output !== null) fail(`The build failed:\n${output}`)
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

/** `null` when it went well, else what it printed. */
async function withProgress(title, { command, args, env = process.env }) {
  const started = Date.now()
  const seconds = () => Math.round((Date.now() - started) / 1000)
  const isTerminal = process.stderr.isTTY
  const show = () => process.stderr.write(isTerminal ? `\r${title} … ${seconds()} s ` : `${title} … ${seconds()} s\n`)
  show()
  const timer = setInterval(show, isTerminal ? 1_000 : SIGN_OF_LIFE_MS)
  const child = spawn(command, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: command === 'npm' && process.platform === 'win32',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.code))
    child.on('exit', resolve)
  })
  clearInterval(timer)
  process.stderr.write(`${isTerminal ? '\r' : ''}${title}: ${code === 0 ? `done in ${seconds()} s` : 'failed'}\n`)
  return code === 0 ? null : output || String(code)
}

/** A sentence for what a person can mend; npm's own words only where we have none. */
function installFailure(output) {
  const log = /A complete log of this run can be found in:\s*(\S+)/.exec(output)?.[1]
  const details = log ? `\nDetails: ${log}` : ''
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|network/i.test(output))
    return `The package registry cannot be reached. Check the network or the proxy settings (npm config get registry), then run the same command again.${details}`
  if (/EROFS|EACCES|EPERM/.test(output))
    return `Cannot write to ${root}. Parley installs its packages there; make it writable and try again.${details}`
  if (/ENOSPC/.test(output)) return `The disk is full. Parley needs about 1 GB for its packages.${details}`
  return `npm install failed:\n\n${output.trim()}`
}
