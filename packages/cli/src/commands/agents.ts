import { parseArgs } from 'node:util'
import type { ParleyClient } from '@parley/client'
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts'
import { commonOptions } from '../options.ts'
import { printable } from '../printable.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { withClient } from '../with-client.ts'

/** As many digits of a version as people read. */
const SHOWN_DIGITS = 12

/** Agents: list with their versions, use one of those. */
export async function agents(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { values: flags, positionals } = parseArgs({ args, options: commonOptions, allowPositionals: true })
  const { words } = terminal
  const [action = 'list', name, version] = positionals
  if (!['list', 'use'].includes(action))
    throw new CommandError(EXIT.usage, `${words.unknown(`agents ${action}`)} ${words.seeHelp}`)
  if (action === 'use' && (!name || !version))
    throw new CommandError(EXIT.usage, words.missing(name ? 'VERSION' : 'NAME'))
  await withClient(terminal, flags, async ({ agents }) => {
    if (action === 'list') await list(agents, flags, terminal)
    else await use(agents, { name: name!, version: version!, json: flags.json }, terminal)
  })
  return EXIT.ok
}

type Agents = ParleyClient['agents']

async function list(agents: Agents, { json }: { json: boolean }, { words, output, errors }: Terminal) {
  const items = await agents.list()
  if (json) return void output.write(`${JSON.stringify(items)}\n`)
  const { name, version, sessions, created } = words.columns
  const rows = items.flatMap(({ name, version, versions = [] }) =>
    version === null || version === undefined
      ? [[name, '–', '', '', '']]
      : versions.map((one) => [
          name,
          one.version.slice(0, SHOWN_DIGITS),
          String(one.sessions),
          one.created_at,
          one.is_current ? words.current : '',
        ]),
  )
  output.write(table([[name, version, sessions, created, ''], ...rows]))
  for (const { problem } of items) if (problem !== undefined) errors.write(`${printable(problem)}\n`)
}

async function use(
  agents: Agents,
  { name, version, json }: { name: string; version: string; json: boolean },
  { words, output }: Terminal,
) {
  const agent = await agents.use(name, await wholeVersion(agents, name, version))
  output.write(json ? `${JSON.stringify(agent)}\n` : `${words.agentUses(name, agent.version ?? version)}\n`)
}

/** The version that begins like this; what fits none, or several, is for the server to refuse. */
async function wholeVersion(agents: Agents, name: string, version: string): Promise<string> {
  const agent = (await agents.list()).find((one) => one.name === name)
  const fitting = agent?.versions?.filter((one) => one.version.startsWith(version)) ?? []
  return fitting.length === 1 ? fitting[0]!.version : version
}
