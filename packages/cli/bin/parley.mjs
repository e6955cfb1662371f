#!/usr/bin/env node
// The command line, in a clone and installed. It finds the Node it needs; in a clone it brings what is missing first.
// Old enough JavaScript for the system's Node 20.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bringNode } from './bring-node.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const scripts = join(here, '../../../scripts/prepare.mjs')
const node = existsSync(scripts) ? await (await import(scripts)).prepare() : await installedNode()
const words = process.argv.slice(2)
const program = {
  command: node,
  // A library in the bundle parses addresses the old way, which Node would tell whoever uses a command.
  args: ['--disable-warning=DEP0169', join(here, '../bundle/main.js'), ...words],
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

/** The Node that runs this, if it is new enough, else one that is kept for it. */
async function installedNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  try {
    return await bringNode()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    return process.exit(1)
  }
}
