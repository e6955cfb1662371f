import { dirname } from 'node:path'
import { prepare, root } from './prepare.mjs'

const command = await prepare()
const { supervise } = await import('../packages/server/bundle/supervise.js')
// npm does not pass every signal on; when it is gone, so is the reason to go on.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, 500)
const args = ['packages/server/bundle/main.js', ...process.argv.slice(2)]
const env = { ...process.env, PATH: `${dirname(command)}:${process.env.PATH}` }
process.exit(await supervise({ command, args, env, cwd: root }))
