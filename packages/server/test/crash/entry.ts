/**
 * The server as it ships, with three things added that only tests have: tools that leave a mark outside the database, a
 * wall clock that can be set, and a hook that kills the process at a commit point, as soon as `KILL_FILE` says so.
 */
import './settable-clock.ts'
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { loadConfig } from '../../src/config/load-config.ts'
import type { ServerOptions } from '../../src/config/options.ts'
import { LogOutput } from '../../src/log-output.ts'
import { createLogger } from '../../src/logging.ts'
import { startServer } from '../../src/server.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import type { KillOrder } from './kill-order.ts'

const { KILL_FILE = '', COUNTER_FILE = '', OPTIONS = '{}' } = process.env

const count = defineTool({
  name: 'Count',
  display_name: { zh: '计数', en: 'Count' },
  description: 'Leaves a mark outside the database.',
  provider: 'builtin',
  input: z.object({ mark: z.string() }),
  async run({ mark }) {
    appendFileSync(COUNTER_FILE, `${mark}\n`)
    await delay(5)
    return `counted ${mark}`
  },
})

/** Works for a while and says how far it is, as long as nobody aborts it. */
const linger = defineTool({
  name: 'Linger',
  display_name: { zh: '停留', en: 'Linger' },
  description: 'Leaves a mark and takes its time.',
  provider: 'builtin',
  input: z.object({ mark: z.string() }),
  async run({ mark }, { signal }) {
    appendFileSync(COUNTER_FILE, `${mark}\n`)
    for (let step = 1; step <= 20 && !signal.aborted; step++) {
      console.log(`lingers ${step}`)
      await delay(200)
    }
    return signal.aborted ? 'aborted' : `lingered ${mark}`
  },
})

/** Asks a person first. */
const risky = { ...count, name: 'Risky', risk: 'high' as const }

const peek = defineTool({
  name: 'Peek',
  display_name: { zh: '查看', en: 'Peek' },
  description: 'Looks at something; doing it twice changes nothing.',
  provider: 'builtin',
  readOnly: true,
  replay: 'safe',
  input: z.object({ mark: z.string() }),
  run: async ({ mark }) => `peeked ${mark}`,
})

let reached = 0
const config = await loadConfig('/', process.env, JSON.parse(OPTIONS) as ServerOptions)
const server = await startServer(config, await createLogger(config, false, new LogOutput(process.stdout)), {
  tools: [count, linger, risky, peek],
  async at(point, stored) {
    if (!existsSync(KILL_FILE)) return
    const { kill, nth, holds } = JSON.parse(readFileSync(KILL_FILE, 'utf8')) as KillOrder
    if (point !== kill) return
    const isLast = ++reached >= nth
    if (!isLast && !holds) return
    await stored?.()
    if (isLast) {
      rmSync(KILL_FILE)
      process.kill(process.pid, 'SIGKILL')
    }
    console.log(`holds ${point}`)
    await new Promise(() => undefined)
  },
})
console.log(`ready ${server.url}`)
process.on('SIGTERM', () => void server[Symbol.asyncDispose]().then(() => process.exit(0)))
