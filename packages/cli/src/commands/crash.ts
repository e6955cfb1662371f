import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { AgentSession, ParleyClient } from '@parley/client'
import type { Crash, CrashPossibility } from '@parley/protocol/rest'
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts'
import { commonOptions } from '../options.ts'
import type { Terminal } from '../terminal.ts'
import { followRun, lostOf, textsIn } from '../follow-run.ts'
import { TurnPrinter } from '../turn-printer.ts'
import { withClient } from '../with-client.ts'

const { json: _, ...connecting } = commonOptions
const options = { ...connecting, yes: { type: 'boolean', short: 'y', default: false } } as const

const ROUTE = '/api/demo/crash'
/** How much of an answer there must be, so that it is seen to be cut. */
const ENOUGH_CHARACTERS = 100
/** How long a supervisor may take; later nobody believes that it comes back. */
const PATIENCE_MS = 60_000

/** Kills the server in the middle of a demo answer, for real, and shows the answer going on to its end. */
export async function crash(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { values: flags } = parseArgs({ args, options })
  return withClient(terminal, flags, async (client) => {
    const first = await client.api.get<CrashPossibility>(ROUTE)
    if (first.reason !== null && first.code !== 'not_running') throw new CommandError(EXIT.failed, first.reason)
    if (!(await isSure(first.pid, flags.yes, terminal))) return EXIT.ok
    using session = await openAnswer(client, first, terminal)
    return await survive(client, session, terminal)
  })
}

async function isSure(
  pid: number,
  isGiven: boolean,
  { words, input, output, isInteractive }: Terminal,
): Promise<boolean> {
  if (isGiven) return true
  if (!isInteractive) throw new CommandError(EXIT.usage, words.crashNeedsYes(pid))
  using prompt = createInterface({ input, output })
  return /^(y|yes|是)$/i.test((await prompt.question(words.crashSure(pid))).trim())
}

/** The answer that is under way, else a new one. */
async function openAnswer(
  client: ParleyClient,
  { runs }: CrashPossibility,
  { words }: Terminal,
): Promise<AgentSession> {
  const running = runs.at(-1)
  const session = running ? client.sessions.connect(running.session_id) : await client.sessions.create()
  await session.ready()
  if (!running) await session.send(words.crashPrompt)
  return session
}

async function survive(client: ParleyClient, session: AgentSession, terminal: Terminal): Promise<ExitCode> {
  const { style, words, output, hasColours } = terminal
  const printer = new TurnPrinter({ style, words, drawsMarkdown: hasColours, write: (text) => output.write(text) })
  const run = followRun(session, printer)
  await run.until(({ turns }) => lengthOf(textsIn(turns)) > ENOUGH_CHARACTERS)
  const before = textsIn(session.getState().turns)

  // That the line is cut before the answer came is a crash, too; any other failure is said by the server.
  const killed = await client.api.post<Crash>(ROUTE).catch((error: unknown) => {
    if ((error as Error).name !== 'TypeError') throw error
  })
  const killedAt = performance.now()
  printer.note(style.red(words.crashKilled(killed ? new Date(killed.killed_at) : new Date())))

  const late = AbortSignal.timeout(PATIENCE_MS)
  const back = await whenBack(client, killed?.pid, late)
  if (!back) throw new CommandError(EXIT.timeout, words.crashNotBack(PATIENCE_MS / 1_000))
  printer.note(style.green(words.crashBack((performance.now() - killedAt) / 1_000, back.pid, back.lease_ms / 1_000)))

  await run.until(({ isStreaming, connection }) => connection === 'connected' && !isStreaming)
  printer.endLine()
  const { status, errorMessage } = session.getState()
  if (status !== 'completed') throw new CommandError(EXIT.failed, words.runFailed(errorMessage ?? String(status)))
  const lost = lostOf(before, textsIn(await client.sessions.getSessionTurns(session.id)))
  if (lost > 0) throw new CommandError(EXIT.failed, words.crashLost(lost))
  printer.note(style.green(words.crashDone(lengthOf(before))))
  return EXIT.ok
}

/** Without the marks of Markdown, which nobody sees. */
const lengthOf = (texts: ReadonlyMap<string, string>) => [...texts.values()].join('').replaceAll(/[*`#]/g, '').length

/** The one that has taken the dead process's place; `undefined` when it does not come. */
async function whenBack(
  client: ParleyClient,
  dead: number | undefined,
  signal: AbortSignal,
): Promise<CrashPossibility | undefined> {
  while (!signal.aborted) {
    const found = await client.api.get<CrashPossibility>(ROUTE, { signal }).catch(() => undefined)
    if (found && found.pid !== dead) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return undefined
}
