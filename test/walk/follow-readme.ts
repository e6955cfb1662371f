import { ok as isTrue } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChatEndPayload, TurnProjection } from '@parley/protocol'
import type { RestRequest } from '@parley/protocol/rest'
import { inShell, openTerminal, type Place } from './terminal.ts'

/** The blocks of a README, in its own order and words, but for ports where the usual ones are taken. */
export type Readme = {
  /** Its two commands. */
  commands: string[]
  page: string
  talk: string
  confirm: string
  hello: string
  kill: string
  token: string
  users: string
  documents: string
  /** Each as a whole `parley.config.ts`. */
  configurations: string[]
  /** What a page with a sign-in of its own has. */
  ownSignIn: string
}

export type Ports = { port?: number; pagePort?: number }

/** A block more or less than are followed here is an error. */
export async function readReadme(file: string, { port = 8020, pagePort = 8030 }: Ports = {}): Promise<Readme> {
  const text = (await readFile(file, 'utf8')).replaceAll(':8020', `:${port}`).replaceAll('8030', `${pagePort}`)
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```/gm)]
  const of = (language: string, count: number) => {
    const found = blocks.filter(([, each]) => each === language).map(([, , block]) => block!)
    isTrue(found.length === count, `${file} has ${found.length} blocks of ${language}, and ${count} are followed`)
    return found as [string, string, string, string, string, string, string]
  }
  const [commands, talk, confirm, kill, token, users, documents] = of('sh', 7)
  const [page, hello] = of('js', 2)
  const [ownSignIn] = of('html', 1)
  const configurations = of('ts', 5).map((block) =>
    block.includes('export default') ? block : `export default {\n${block}}\n`,
  )
  isTrue(blocks.length === 15, `${file} has blocks that nobody follows`)
  const steps = { page, talk, confirm, hello, kill, token, users, documents, configurations, ownSignIn }
  return { commands: commands.trim().split('\n'), ...steps }
}

/** Where a server listens whose data lie in `directory`, and how to speak to it. */
export type Site = Place & { url: string }

/** The conversation by curl, and the confirmation, answered as the answer says. */
export async function talkByCurl({ talk, confirm }: Readme, site: Site): Promise<void> {
  const [talked, asked] = (await inShell(`${talk}\necho =====\n${confirm}`, site)).split('=====\n')
  isTrue(talked!.includes('"status":"completed"'), `the call that waits did not end well:\n${talked}`)
  isTrue(/event: chat:end\n/.test(talked!), `the stream did not end:\n${talked}`)
  isTrue(/"role":"assistant"/.test(talked!.trim().split('\n').at(-1)!), `there is no history:\n${talked}`)
  const end = JSON.parse(/data: (.*)/.exec(asked!)![1]!) as ChatEndPayload & { answer_with: RestRequest[] }
  const approve = end.answer_with.find(({ to }) => to === 'approve')
  isTrue(approve, `nothing can be approved: ${asked}`)
  const answer = await ask(site, approve.path, approve)
  isTrue(answer.ok, `the approval is refused: HTTP ${answer.status} ${await answer.text()}`)
}

/** A visitor's token: it opens what is the visitor's own, and nothing of the account's. */
export async function mintToken({ talk, token }: Readme, site: Site): Promise<void> {
  const [variables] = talk.split('\n\n')
  const made = JSON.parse(await inShell(`${variables}\n${token}`, site)) as { token: string; subject: string }
  isTrue(made.subject === 'user-42', `no token was made: ${JSON.stringify(made)}`)
  const headers = { authorization: `Bearer ${made.token}` }
  type Sessions = { items: { id: string }[] }
  const theirs = (await (await fetch(`${site.url}/api/sessions`, { headers })).json()) as Sessions
  const ours = (await (await ask(site, '/api/sessions')).json()) as Sessions
  isTrue(!theirs.items.some(({ id }) => ours.items.some((own) => own.id === id)), 'a visitor sees our sessions')
  isTrue((await fetch(`${site.url}/api/user/api-keys`, { headers })).status === 403, 'a visitor sees the account')
}

/** Somebody is invited by a link that signs them in, and is in the list. */
export async function invite({ users }: Readme, site: Site): Promise<void> {
  const said = await inShell(users, site)
  const [link] = /http\S+code=\S+/.exec(said) ?? []
  isTrue(link !== undefined && /anna@example\.com +member/.test(said), `nobody is invited:\n${said}`)
  const answer = await fetch(link, { redirect: 'manual' })
  isTrue(answer.status < 400 && answer.headers.has('set-cookie'), `the invitation answers HTTP ${answer.status}`)
}

/** Documents of the directory are added, and searched. */
export async function addDocuments({ documents }: Readme, site: Site): Promise<void> {
  const said = await inShell(documents, { ...site, withinMs: 10 * 60_000 })
  isTrue(/guarantees\.md/.test(said), `no document was added:\n${said}`)
}

/** `hello.mjs`: the thinking is on the terminal, and only the answer in a pipe. */
export async function sayHello({ hello }: Readme, site: Site): Promise<void> {
  await writeFile(join(site.directory, 'hello.mjs'), hello)
  const piped = await inShell('node hello.mjs', site)
  isTrue(piped.includes('9.9') && piped.endsWith('\n'), `hello.mjs says: ${piped}`)
  await using terminal = openTerminal('node hello.mjs', site)
  isTrue((await terminal.ends()) === 0, terminal.screen())
  // eslint-disable-next-line no-control-regex -- what a terminal understands is made of these
  const [, thinking] = /((?:\x1b\[2m[^\x1b]+\x1b\[22m)+)/.exec(terminal.screen()) ?? []
  isTrue(thinking !== undefined, `nothing is dim: ${terminal.screen()}`)
  isTrue(terminal.screen().includes(piped.trim()), `the answer is missing: ${terminal.screen()}`)
  isTrue(!piped.includes(thinking.slice(4, 10)), `the thinking is in the pipe: ${piped}`)
}

/** `npx parley chat`, as somebody who types. */
export async function chatOnTheCommandLine(site: Site): Promise<void> {
  await using terminal = openTerminal('npx parley chat', site)
  await terminal.shows(/› /)
  terminal.type('Hello\r')
  await terminal.shows(/PARLEY_MODEL_URL[^]*› /)
  terminal.type('\x04')
  isTrue((await terminal.ends()) === 0, terminal.screen())
}

/** Kills the server in the middle of an answer. Returns the session. */
export async function killIt({ talk, kill }: Readme, site: Site): Promise<string> {
  const [variables] = talk.split('\n\n')
  const said = await inShell(`${variables}\n${kill}\necho session=$session`, site)
  return /session=(\S+)/.exec(said)![1]!
}

/** The half answer, marked, and after it the whole one. */
export async function seeItSurvive(site: Site, session: string): Promise<void> {
  let turns: TurnProjection[] = []
  for (const until = Date.now() + 90_000; Date.now() < until; await delay(500)) {
    turns = (await (await ask(site, `/api/sessions/${session}/messages`)).json()) as TurnProjection[]
    const half = turns.findIndex(({ failure_reason }) => failure_reason === 'server_stopped')
    if (
      half >= 0 &&
      turns[half]!.status === 'interrupted' &&
      turns.slice(half).some(({ status }) => status === 'completed')
    )
      return
  }
  throw new Error(`the run did not go on: ${JSON.stringify(turns).slice(0, 3_000)}`)
}

type Asked = { method?: string; body?: unknown }

async function ask({ url, directory }: Site, path: string, { method = 'GET', body }: Asked = {}): Promise<Response> {
  const key = (await readFile(join(directory, '.parley/owner.key'), 'utf8')).trim()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
}
