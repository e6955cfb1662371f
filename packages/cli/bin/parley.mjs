#!/usr/bin/env node
// The command line, in a clone and installed. It finds the Node it needs; in a clone it brings what is missing first.
// Old enough JavaScript for the system's Node 20.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const scripts = join(here, '../../../scripts/prepare.mjs')
const node = existsSync(scripts) ? await (await import(scripts)).prepare() : installedNode()
const words = process.argv.slice(2)
const program = {
  command: node,
  args: [join(here, '../bundle/main.js'), ...words],
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
}
if (isServer(words)) {
  const { supervise } = await import('@parley/server/supervise')
  process.exit(await supervise(program))
}
const child = spawn(program.command, program.args, { stdio: 'inherit', env: program.env })
// A terminal sends Ctrl-C to both of us. Passing it on would make one key press count twice.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))

/** A server is started again when it dies; `--language` may stand in front of any command. */
function isServer([first = '', ...rest]) {
  if (first === '--language') return isServer(rest.slice(1))
  return first.startsWith('--language=') ? isServer(rest) : first === 'serve'
}

/** The Node that runs this, if it is new enough, else the one that npm brought beside us. */
function installedNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  try {
    const name = `node-${process.platform}-${process.arch}`
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/node')
  } catch {
    process.stderr.write(`Parley needs Node 24 or newer; this is ${process.version}. Install it from nodejs.org.\n`)
    return process.exit(1)
  }
}
