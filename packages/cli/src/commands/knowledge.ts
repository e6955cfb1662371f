import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { ParleyClient } from '@parley/client'
import type { DocumentEntry } from '@parley/protocol/rest'
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts'
import { addDocuments } from '../knowledge/add.ts'
import { commonOptions } from '../options.ts'
import { oneLine, printable } from '../printable.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { withClient } from '../with-client.ts'

const options = {
  ...commonOptions,
  collection: { type: 'string' },
  category: { type: 'string' },
  'delete-missing': { type: 'boolean', default: false },
  yes: { type: 'boolean', short: 'y', default: false },
} as const

type Flags = ReturnType<typeof parse>['values']
type Action = (client: ParleyClient, given: { subject: string; flags: Flags }, terminal: Terminal) => Promise<ExitCode>

const ACTIONS: Record<string, { needs?: string; run: Action }> = {
  add: { needs: 'PATH', run: add },
  list: { run: list },
  search: { needs: 'QUESTION', run: search },
  show: { needs: 'ID', run: show },
  delete: { needs: 'ID', run: remove },
}

/** The documents that answers come from: add, list, search, show, delete. */
export async function knowledge(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { values: flags, positionals } = parse(args)
  const { words } = terminal
  const [name = 'list', ...rest] = positionals
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (!action) throw new CommandError(EXIT.usage, `${words.unknown(`knowledge ${name}`)} ${words.seeHelp}`)
  const subject = name === 'search' ? rest.join(' ') : (rest[0] ?? '')
  if (action.needs !== undefined && subject === '') throw new CommandError(EXIT.usage, words.missing(action.needs))
  if (name !== 'search' && rest.length > 1) throw new CommandError(EXIT.usage, words.unexpected(rest[1]!))
  return withClient(terminal, flags, (client) => action.run(client, { subject, flags }, terminal))
}

function parse(args: string[]) {
  return parseArgs({ args, options, allowPositionals: true })
}

function add(client: ParleyClient, { subject, flags }: Parameters<Action>[1], terminal: Terminal): Promise<ExitCode> {
  const { collection = 'default', category, json } = flags
  const options = { path: subject, collection, category, deletesMissing: flags['delete-missing'], json }
  return addDocuments(client, options, terminal)
}

async function list(
  { knowledge }: ParleyClient,
  { flags: { collection, category, json } }: Parameters<Action>[1],
  { words, output, errors }: Terminal,
): Promise<ExitCode> {
  const items: DocumentEntry[] = []
  const query = { limit: 200, ...(collection && { collection }), ...(category && { category }) }
  for (let cursor: string | undefined; ;) {
    const page = await knowledge.list({ ...query, ...(cursor && { cursor }) })
    items.push(...page.items)
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  if (json) output.write(`${JSON.stringify(items)}\n`)
  else if (items.length === 0) errors.write(`${words.knowledge.none}\n`)
  else {
    const { id, title, category, collection, source } = words.knowledge.columns
    const rows = items.map((item) => [
      item.id,
      oneLine(item.title ?? words.untitled, 40),
      item.category,
      item.collection,
      item.source ?? '–',
    ])
    output.write(table([[id, title, category, collection, source], ...rows]))
  }
  return EXIT.ok
}

async function search(
  { knowledge }: ParleyClient,
  { subject, flags: { collection, category, json } }: Parameters<Action>[1],
  { words, output, errors, style }: Terminal,
): Promise<ExitCode> {
  const query = { query: subject, ...(collection && { collection }), ...(category && { category }) }
  const results = await knowledge.search(query)
  if (json) output.write(`${JSON.stringify(results)}\n`)
  else if (results.length === 0) errors.write(`${words.knowledge.nothingFound}\n`)
  else
    for (const { document, score, excerpt } of results) {
      const title = style.bold(oneLine(document.title ?? words.untitled))
      output.write(`${score.toFixed(2)}  ${title}  ${style.dim(`${document.id} · ${printable(document.category)}`)}\n`)
      output.write(`      ${printable(excerpt).trim().replaceAll(/\s+/g, ' ')}\n`)
    }
  return EXIT.ok
}

async function show(
  { knowledge }: ParleyClient,
  { subject, flags }: Parameters<Action>[1],
  { words, output, style }: Terminal,
): Promise<ExitCode> {
  const document = await knowledge.get(subject)
  if (flags.json) output.write(`${JSON.stringify(document)}\n`)
  else {
    const about = [document.id, document.category, document.collection, document.source].filter(Boolean).join(' · ')
    output.write(`${style.bold(oneLine(document.title ?? words.untitled))}  ${style.dim(printable(about))}\n\n`)
    output.write(`${printable(document.content).trimEnd()}\n`)
  }
  return EXIT.ok
}

async function remove(
  { knowledge }: ParleyClient,
  { subject, flags }: Parameters<Action>[1],
  { words, input, output, isInteractive }: Terminal,
): Promise<ExitCode> {
  if (isInteractive && !flags.yes) {
    using prompt = createInterface({ input, output })
    if (!/^(y|yes|是)$/i.test((await prompt.question(words.knowledge.deleteSure(subject))).trim())) return EXIT.ok
  }
  await knowledge.delete(subject)
  output.write(
    flags.json ? `${JSON.stringify({ id: subject, deleted: true })}\n` : `${words.knowledge.deleted(subject)}\n`,
  )
  return EXIT.ok
}
