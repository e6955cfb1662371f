// Runs one command in sandbox-runtime and prints what became of it. Started as an ordinary user.
import { startGuarded } from '../../../src/sandbox/run-guarded.ts'
import { runtimeSandbox } from '../../../src/sandbox/runtime-sandbox.ts'
import { type Limits, SYSTEM_PATH } from '../../../src/sandbox/sandbox.ts'

type Options = {
  workspace: string
  limits: Limits
  readable: string[]
  hidden: string[]
  command: string
  env?: Record<string, string>
  timeoutMs?: number
  reads?: string
}

const options = JSON.parse(process.argv[2]!) as Options
const { workspace, limits, readable, hidden, command, env = {}, timeoutMs = 10_000, reads } = options
const sandbox = await runtimeSandbox({ limits, readable, hidden, path: SYSTEM_PATH, leaseMs: 10_000 })
const running = await startGuarded({ sandbox, workspace, reads, command, env, leaseMs: 5_000 })
const timer = setTimeout(running.kill, timeoutMs)
let output = ''
running.output.setEncoding('utf8').on('data', (text: string) => {
  output += text
  // A command that asks for it is killed in its sleep.
  if (text.includes('kill me')) running.kill()
})
const end = await running.ended
clearTimeout(timer)
process.stdout.write(JSON.stringify({ output, end }))
await sandbox.close?.()
process.exit(0)
