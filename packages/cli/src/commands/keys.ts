import { parseArgs } from 'node:util'
import type { ParleyClient } from '@parley/client'
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts'
import { commonOptions } from '../options.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { withClient } from '../with-client.ts'

/** API keys: create, list, revoke. */
export async function keys(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { values: flags, positionals } = parseArgs({ args, options: commonOptions, allowPositionals: true })
  const { words } = terminal
  const [action = 'list', subject] = positionals
  if (!['create', 'list', 'revoke'].includes(action))
    throw new CommandError(EXIT.usage, `${words.unknown(`keys ${action}`)} ${words.seeHelp}`)
  if (action !== 'list' && !subject)
    throw new CommandError(EXIT.usage, words.missing(action === 'create' ? 'NAME' : 'ID'))
  await withClient(terminal, flags, async ({ apiKeys }) => {
    if (action === 'create') await create(apiKeys, { name: subject!, json: flags.json }, terminal)
    if (action === 'list') await list(apiKeys, flags, terminal)
    if (action === 'revoke') await revoke(apiKeys, { id: subject!, json: flags.json }, terminal)
  })
  return EXIT.ok
}

type Keys = ParleyClient['apiKeys']

async function create(
  keys: Keys,
  { name, json }: { name: string; json: boolean },
  { words, output, errors }: Terminal,
) {
  const created = await keys.createApiKey(name)
  // The key alone on standard output, so that a script can take it.
  output.write(json ? `${JSON.stringify(created)}\n` : `${created.plaintext}\n`)
  if (!json) errors.write(`${words.keyShownOnce}\n`)
}

async function list(keys: Keys, { json }: { json: boolean }, { words, output, errors }: Terminal) {
  const items = await keys.listApiKeys()
  if (json) return void output.write(`${JSON.stringify(items)}\n`)
  if (items.length === 0) return void errors.write(`${words.noKeys}\n`)
  const { id, name, key, lastUsed } = words.columns
  const rows = items.map((item) => [item.id, item.name, item.masked, item.last_used_at ?? words.never])
  output.write(table([[id, name, key, lastUsed], ...rows]))
}

async function revoke(keys: Keys, { id, json }: { id: string; json: boolean }, { words, output }: Terminal) {
  await keys.deleteApiKey(id)
  output.write(json ? `${JSON.stringify({ id, revoked: true })}\n` : `${words.keyRevoked(id)}\n`)
}
