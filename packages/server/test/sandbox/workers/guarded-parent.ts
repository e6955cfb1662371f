// Stands for a server: starts one command under its guard and then does nothing but give signs of life.
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { startGuarded } from '../../../src/sandbox/run-guarded.ts'
import type { SandboxLevel } from '../../../src/sandbox/sandbox.ts'

const [dataDir, workspace, best, leaseMs, command] = process.argv.slice(2) as [
  string,
  string,
  SandboxLevel,
  string,
  string,
]
const sandbox = await openSandbox({ dataDir, best })
const running = await startGuarded({ sandbox, workspace, command, env: {}, leaseMs: Number(leaseMs) })
running.output.on('data', (chunk: Buffer) => process.stdout.write(chunk))
console.log(`level ${sandbox.level}`)
const end = await running.ended
console.log(`ended ${JSON.stringify(end)}`)
