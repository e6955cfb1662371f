// Runs commands in sandbox-runtime, one after another, and prints what became of each. Started as an ordinary user.
import { startGuarded } from '../../../src/sandbox/run-guarded.ts'
import { runtimeSandbox } from '../../../src/sandbox/runtime-sandbox.ts'
import { LIMITS, SECRET_FILES, SYSTEM_PATH } from '../../../src/sandbox/sandbox.ts'

const [dataDir, workspace, ...commands] = process.argv.slice(2) as [string, string, ...string[]]
const hidden = [dataDir, ...SECRET_FILES]
const sandbox = await runtimeSandbox({ limits: LIMITS, readable: [], hidden, path: SYSTEM_PATH, leaseMs: 10_000 })
for (const command of commands) {
  const running = await startGuarded({ sandbox, workspace, command, env: { GREETING: 'hello' }, leaseMs: 5_000 })
  let output = ''
  running.output.setEncoding('utf8').on('data', (text: string) => {
    output += text
    // A command that asks for it is killed in its sleep.
    if (text.includes('kill me')) running.kill()
  })
  const end = await running.ended
  console.log(`ran ${JSON.stringify({ output, end })}`)
}
await sandbox.close?.()
process.exit(0)
