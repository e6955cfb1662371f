#!/usr/bin/env node
// `npx parley` in a clone: brings what is missing, then runs the command line with the Node that npm brought. Old enough
// JavaScript for the system's Node 20.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { prepare, root } from '../../../scripts/prepare.mjs'

const node = await prepare()
// Not `run` from there: that one works in the clone, and paths on a command line belong to where it was typed.
const child = spawn(node, [join(root, 'packages/cli/dist/main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
})
// A terminal sends Ctrl-C to both of us. Passing it on would make one key press count twice.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
