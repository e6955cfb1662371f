import { expect, test } from 'vitest'
import { OWNER_KEY, sharedWorld } from '../../server/test/wire/world.ts'
import { emptyFolder } from './command-line.ts'

const world = sharedWorld()
const folderOf = (key: string) => emptyFolder({ PARLEY_URL: world().url, PARLEY_KEY: key })

/** A key that whoever opens the link makes themselves. */
async function keyBy(url: string): Promise<string> {
  const reply = await fetch(url, { redirect: 'manual' })
  const headers = { cookie: reply.headers.get('set-cookie')!.split(';')[0]!, origin: world().url }
  const body = { name: 'terminal' }
  const made = await world().rest('POST', '/api/user/api-keys', { token: null, headers, body })
  return String(made.body['plaintext'])
}

test('[W12.15] users add prints a link; who opens it has sessions of their own until they are removed', async () => {
  await using owners = await folderOf(OWNER_KEY)
  const added = await owners.parley(['users', 'add', 'Anna@example.com', '--name', 'Anna'])
  expect(added).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^http:\/\/\S+\/api\/auth\/login\?code=\S+\n$/),
  })
  expect(added.errors).toMatch(/^Send this link to anna@example\.com: it signs them in once, until 2\d{3}-/)
  const listed = await owners.parley(['users', 'list'])
  expect(listed.output).toMatch(/ID +NAME +ROLE +STATUS +CREATED\n/)
  expect(listed.output).toMatch(/user_\S+ +anna@example\.com +member +invited /)

  const key = await keyBy(added.output.trim())
  await world().newSession({ intent: 'a plan of the owner' })
  await world().newSession({ intent: 'a plan of Anna' }, key)
  await using annas = await folderOf(key)
  const sessions = await annas.parley(['sessions', 'list'])
  expect(sessions.output).toContain('a plan of Anna')
  expect(sessions.output).not.toContain('a plan of the owner')
  expect(await annas.parley(['users', 'list'])).toMatchObject({
    ...{ code: 1, output: '', errors: 'Only an owner of this server may do this.\n' },
  })

  expect(await owners.parley(['users', 'role', 'anna@example.com', 'owner'])).toMatchObject({
    output: 'anna@example.com is now owner.\n',
  })
  expect((await annas.parley(['users', 'list', '--json'])).code).toBe(0)
  const link = await owners.parley(['users', 'link', 'ANNA@example.com'])
  expect((await fetch(link.output.trim(), { redirect: 'manual' })).status).toBe(302)
  expect(await owners.parley(['users', 'remove', 'anna@example.com'])).toMatchObject({
    ...{ code: 0, output: 'anna@example.com is removed and signed out; what they had is deleted.\n' },
  })
  expect((await annas.parley(['sessions', 'list'])).code).toBe(4)
})

test.each([
  ['an unknown action', ['users', 'sell'], { code: 2, errors: 'Unknown command "users sell". See `parley --help`.\n' }],
  ['no name', ['users', 'add'], { code: 2, errors: 'NAME is missing.\n' }],
  ['no role', ['users', 'role', 'owner'], { code: 2, errors: 'owner | member is missing.\n' }],
  ['nobody of that name', ['users', 'remove', 'nobody'], { code: 1, errors: 'There is no user nobody.\n' }],
  ['a name that is taken', ['users', 'add', 'owner'], { code: 1, errors: 'There is a user named owner already.\n' }],
  [
    'the first owner',
    ['users', 'remove', 'owner'],
    { code: 1, errors: 'The first owner of this server stays its owner: what is configured is theirs.\n' },
  ],
])('[W12.15] users says what is wrong: %s', async (_, args, { code, errors }) => {
  await using folder = await folderOf(OWNER_KEY)
  expect(await folder.parley(args)).toEqual({ code, output: '', errors })
})

test('[W12.15] users speaks Chinese', async () => {
  await using folder = await folderOf(OWNER_KEY)
  expect((await folder.parley(['users', 'list', '--language', 'zh'])).output).toMatch(/owner +所有者 +已加入 /)
  expect((await folder.parley(['users', '--help', '--language', 'zh'])).output).toContain('parley users add 名称')
})
