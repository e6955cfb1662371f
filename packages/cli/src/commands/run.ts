import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import type { AgentSession, HeadlessApi, HeadlessOptions, ParleyClient } from '@parley/client'
import type { Source, TurnProjection } from '@parley/protocol'
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts'
import { commonOptions, decimalNumber } from '../options.ts'
import { printable } from '../printable.ts'
import { RunProgress } from '../run-progress.ts'
import { sourceList } from '../source-list.ts'
import type { Terminal } from '../terminal.ts'
import { TerminalMarkdown } from '../terminal-markdown.ts'
import { withClient } from '../with-client.ts'

const options = {
  ...commonOptions,
  schema: { type: 'string' },
  session: { type: 'string' },
  model: { type: 'string' },
  agent: { type: 'string' },
  timeout: { type: 'string', default: '300' },
  progress: { type: 'boolean' },
} as const

/** One question, one result. */
export async function run(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { values: flags, positionals } = parseArgs({ args, options, allowPositionals: true, allowNegative: true })
  const { words, output, errors, style } = terminal
  const seconds = decimalNumber(flags.timeout, { option: '--timeout', least: 0.001, most: 1_800, words })
  const prompt = await readPrompt(positionals, terminal)
  const schema = flags.schema === undefined ? undefined : await readSchema(flags.schema, terminal)
  const stop = new AbortController()
  const interrupt = () => stop.abort(new CommandError(EXIT.interrupted, words.stopped))
  process.once('SIGINT', interrupt)
  // A person who waits sees what goes on; a pipe gets it only when it is asked for.
  const progress = (flags.progress ?? errors.isTTY) ? new RunProgress(terminal) : undefined
  const wish = {
    timeoutMs: Math.ceil(seconds * 1_000),
    signal: stop.signal,
    ...(schema && { schema }),
    ...(flags.model && { model: flags.model }),
    ...(progress && { onSession: (session: AgentSession) => progress.follow(session) }),
  }
  const { answer, citations } = await withClient(terminal, { ...flags, mayStart: true }, async (client) => {
    const { headless } = client
    const answer = flags.session
      ? await inSession(headless, flags.session, wish)
      : await headless.runWithSession(prompt, { ...wish, ...(flags.agent && { session: { agent: flags.agent } }) })
    return { answer, citations: await citationsOf(client, answer.session_id) }
  }).finally(() => {
    process.off('SIGINT', interrupt)
    progress?.[Symbol.dispose]()
  })

  if (flags.json) output.write(`${JSON.stringify({ ...answer, ...(citations.length > 0 && { citations }) })}\n`)
  else if (typeof answer.result !== 'string') output.write(`${JSON.stringify(answer.result, null, 2)}\n`)
  else output.write(`${drawn(answer.result, terminal)}\n`)
  // Not among what a pipe takes for the result.
  if (!flags.json && citations.length > 0)
    errors.write(`${style.dim(words.knowledge.sources(sourceList(citations)))}\n`)
  return EXIT.ok

  async function inSession(headless: HeadlessApi, session_id: string, options: HeadlessOptions) {
    return { session_id, result: await headless.runInSession(session_id, prompt, options) }
  }
}

/** What the last answer cites. A result is a result also when this cannot be had. */
async function citationsOf({ api }: ParleyClient, session_id: string): Promise<Source[]> {
  const path = `/api/sessions/${encodeURIComponent(session_id)}/messages`
  const turns = await api.get<TurnProjection[]>(path, { query: { limit: 1 } }).catch(() => [])
  return turns.at(-1)?.citations ?? []
}

/** For people Markdown is drawn; a pipe gets the text as it is. */
function drawn(text: string, { output, hasColours, style }: Terminal): string {
  if (!output.isTTY) return text
  if (!hasColours) return printable(text)
  const markdown = new TerminalMarkdown(style)
  return markdown.write(printable(text)) + markdown.end()
}

async function readPrompt(positionals: string[], { input, words }: Terminal): Promise<string> {
  const given = positionals.join(' ')
  const prompt = given === '-' || (given === '' && !input.isTTY) ? await readAll(input) : given
  if (prompt.trim() === '') throw new CommandError(EXIT.usage, `${words.noPrompt}\n${words.seeHelp}`)
  return prompt
}

async function readSchema(file: string, { words }: Terminal): Promise<Record<string, unknown>> {
  try {
    const schema: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) throw new Error('not an object')
    return schema as Record<string, unknown>
  } catch (error) {
    throw new CommandError(EXIT.usage, words.badSchema(file, (error as Error).message), { cause: error })
  }
}
