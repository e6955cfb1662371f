import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { ParleyClient } from '@parley/client'
import { textOf, type TurnProjection } from '@parley/protocol'
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts'
import { commonOptions, wholeNumber } from '../options.ts'
import { printable } from '../printable.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { TurnPrinter } from '../turn-printer.ts'
import { withClient } from '../with-client.ts'
import { exportSession, importSession, shareSession, unshareSession } from './session-transfer.ts'

const options = {
  ...commonOptions,
  limit: { type: 'string', default: '20' },
  search: { type: 'string' },
  yes: { type: 'boolean', short: 'y', default: false },
  output: { type: 'string', short: 'o' },
  markdown: { type: 'boolean', default: false },
  name: { type: 'string' },
  days: { type: 'string' },
} as const

type Flags = ReturnType<typeof parse>['values']

const ACTIONS = ['list', 'show', 'delete', 'export', 'import', 'share', 'unshare']
const LONGEST_DAYS = 3_650

/** Sessions: list, show, delete, take along and bring back, show to others. */
export async function sessions(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { values: flags, positionals } = parse(args)
  const { words } = terminal
  const [action = 'list', subject] = positionals
  if (!ACTIONS.includes(action))
    throw new CommandError(EXIT.usage, `${words.unknown(`sessions ${action}`)} ${words.seeHelp}`)
  if (action !== 'list' && !subject)
    throw new CommandError(EXIT.usage, words.missing(action === 'import' ? 'FILE' : 'ID'))
  const limit = wholeNumber(flags.limit, { option: '--limit', least: 1, most: 200, words })
  const days =
    flags.days === undefined ? null : wholeNumber(flags.days, { option: '--days', least: 1, most: LONGEST_DAYS, words })
  await withClient(terminal, flags, async (client) => {
    if (action === 'list') await list(client, { ...flags, limit }, terminal)
    if (action === 'show') await show(client, { id: subject!, flags }, terminal)
    if (action === 'delete') await remove(client, { id: subject!, flags }, terminal)
    if (action === 'export') await exportSession(client, { id: subject!, flags }, terminal)
    if (action === 'import') await importSession(client, { file: subject!, flags }, terminal)
    if (action === 'share') await shareSession(client, { id: subject!, days, json: flags.json }, terminal)
    if (action === 'unshare') await unshareSession(client, { id: subject!, json: flags.json }, terminal)
  })
  return EXIT.ok
}

function parse(args: string[]) {
  return parseArgs({ args, options, allowPositionals: true })
}

async function list(
  client: ParleyClient,
  { limit, search, json }: Pick<Flags, 'search' | 'json'> & { limit: number },
  { words, output, errors }: Terminal,
): Promise<void> {
  const page = await client.sessions.listSessionsPaginated({ limit, ...(search && { q: search }) })
  if (json) return void output.write(`${JSON.stringify(page)}\n`)
  if (page.items.length === 0) return void errors.write(`${words.noSessions}\n`)
  const { id, status, updated, title } = words.columns
  const rows = page.items.map((item) => [item.id, item.status, item.updated_at, item.intent || words.untitled])
  output.write(table([[id, status, updated, title], ...rows]))
  if (page.total > page.items.length) errors.write(`${words.more(page.total - page.items.length)}\n`)
}

type Subject = { id: string; flags: Flags }

async function show(
  client: ParleyClient,
  { id, flags }: Subject,
  { words, output, style, hasColours }: Terminal,
): Promise<void> {
  const [session, turns] = await Promise.all([client.sessions.getSession(id), client.sessions.getSessionTurns(id)])
  if (flags.json) return void output.write(`${JSON.stringify({ session, turns })}\n`)
  output.write(
    `${style.bold(printable(session.intent || words.untitled))}  ${style.dim(`${session.id} · ${session.status}`)}\n`,
  )
  const printer = new TurnPrinter({ style, words, drawsMarkdown: hasColours, write: (text) => output.write(text) })
  for (const turn of turns) {
    if (turn.role === 'user') printer.note(`\n${style.bold(`${words.you}:`)} ${printable(saidBy(turn))}`)
    else printer.update([turn])
    if (turn.status === 'failed' && turn.failure_reason)
      printer.note(style.red(words.runFailed(printable(turn.failure_reason))))
    if (turn.feedback) printer.note(style.dim(thought(turn.feedback)))
  }
  printer.endLine()
}

function thought({ value, comment }: NonNullable<TurnProjection['feedback']>): string {
  return `${value === 'like' ? '👍' : '👎'} ${printable(comment ?? '')}`.trim()
}

function saidBy(turn: TurnProjection): string {
  const answer = turn.blocks.find((block) => block.type === 'ask_user_answer')
  const chosen = answer?.content.answers?.flatMap(({ selected, custom }) => [...selected, ...(custom ? [custom] : [])])
  return textOf(turn) || (chosen?.join(', ') ?? '')
}

async function remove(client: ParleyClient, { id, flags }: Subject, terminal: Terminal): Promise<void> {
  const { words, output, input, isInteractive } = terminal
  if (isInteractive && !flags.yes) {
    using prompt = createInterface({ input, output })
    if (!/^(y|yes|是)$/i.test((await prompt.question(words.deleteSure(id))).trim())) return
  }
  const answer = await client.sessions.deleteSession(id)
  output.write(flags.json ? `${JSON.stringify({ id, ...answer })}\n` : `${words.sessionDeleted(id)}\n`)
}
