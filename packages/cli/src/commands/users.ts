import { parseArgs } from 'node:util'
import type { ParleyClient } from '@parley/client'
import type { Invitation, User, UserPage } from '@parley/protocol/rest'
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts'
import { commonOptions } from '../options.ts'
import { printable } from '../printable.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { withClient } from '../with-client.ts'

const options = {
  ...commonOptions,
  role: { type: 'string' },
  name: { type: 'string' },
} as const

type Api = ParleyClient['api']
type Asked = { name: string; role: string | undefined; display_name: string | undefined; json: boolean }

const ACTIONS: Record<string, (api: Api, asked: Asked, terminal: Terminal) => Promise<void>> = {
  add,
  list,
  link,
  role,
  remove,
}
const PAGE = 200

/** Who is in: invite, list, send another link, change a role, remove. For owners. */
export async function users(args: string[], terminal: Terminal): Promise<ExitCode> {
  const { values: flags, positionals } = parseArgs({ args, options, allowPositionals: true })
  const { words } = terminal
  const [action = 'list', name = '', role] = positionals
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (!act) throw new CommandError(EXIT.usage, `${words.unknown(`users ${action}`)} ${words.seeHelp}`)
  if (action !== 'list' && name === '') throw new CommandError(EXIT.usage, words.missing('NAME'))
  if (action === 'role' && role === undefined) throw new CommandError(EXIT.usage, words.missing('owner | member'))
  const asked = { name, role: role ?? flags.role, display_name: flags.name, json: flags.json }
  await withClient(terminal, flags, ({ api }) => act(api, asked, terminal))
  return EXIT.ok
}

async function add(api: Api, { name, role, display_name, json }: Asked, terminal: Terminal): Promise<void> {
  const body = {
    username: name,
    ...(role !== undefined && { role }),
    ...(display_name !== undefined && { display_name }),
  }
  printLink(await api.post<Invitation>('/api/users', body), json, terminal)
}

async function link(api: Api, { name, json }: Asked, terminal: Terminal): Promise<void> {
  const { id } = await find(api, name, terminal)
  printLink(await api.post<Invitation>(`/api/users/${id}/links`), json, terminal)
}

async function list(api: Api, { json }: Asked, { words, output }: Terminal): Promise<void> {
  const items: User[] = []
  for (;;) {
    const page = await api.get<UserPage>('/api/users', { query: { limit: PAGE, offset: items.length } })
    items.push(...page.items)
    if (page.items.length === 0 || items.length >= page.total) break
  }
  if (json) return void output.write(`${JSON.stringify(items)}\n`)
  const { id, name, role: title, status, created } = words.columns
  const rows = items.map((user) => [
    user.id,
    printable(user.username),
    words.roles[user.role],
    words.userStatus[user.status],
    user.created_at,
  ])
  output.write(table([[id, name, title, status, created], ...rows]))
}

async function role(api: Api, { name, role: wanted, json }: Asked, terminal: Terminal): Promise<void> {
  const { id } = await find(api, name, terminal)
  const user = await api.patch<User>(`/api/users/${id}`, { role: wanted })
  terminal.output.write(
    json ? `${JSON.stringify(user)}\n` : `${terminal.words.userIs(user.username, terminal.words.roles[user.role])}\n`,
  )
}

async function remove(api: Api, { name, json }: Asked, terminal: Terminal): Promise<void> {
  const { id, username } = await find(api, name, terminal)
  await api.del(`/api/users/${id}`)
  terminal.output.write(
    json ? `${JSON.stringify({ id, removed: true })}\n` : `${terminal.words.userRemoved(username)}\n`,
  )
}

/** By name, or by id. */
async function find(api: Api, name: string, { words }: Terminal): Promise<Pick<User, 'id' | 'username'>> {
  if (name.startsWith('user_')) return { id: encodeURIComponent(name), username: name }
  const { items } = await api.get<UserPage>('/api/users', { query: { username: name } })
  if (!items[0]) throw new CommandError(EXIT.failed, words.noUser(name))
  return items[0]
}

/** The link alone on standard output, so that a script can take it. */
function printLink(invitation: Invitation, json: boolean, { words, output, errors }: Terminal): void {
  output.write(json ? `${JSON.stringify(invitation)}\n` : `${invitation.url}\n`)
  if (!json) errors.write(`${words.invitation(printable(invitation.user.username), invitation.expires_at)}\n`)
}
