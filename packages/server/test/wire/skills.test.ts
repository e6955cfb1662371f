import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sharedWorld, World } from './world.ts'

const world = sharedWorld()
const upload = (session_id: string, name: string, files: Record<string, string>) =>
  world().rest('POST', `/api/sessions/${session_id}/skills:upload`, {
    body: { name, files: Object.entries(files).map(([path, content]) => ({ path, content })) },
  })

test('[W12.7] a SKILL.md without a description is described by its name', async () => {
  world().learn({ 'which skills?': [{ text: 'One.' }] })
  await using chat = await world().chat()
  const { status } = await upload(chat.session_id, 'acme/city-map', {
    'SKILL.md': '---\nname: City map\n---\nShow it.',
  })
  expect(status).toBe(200)
  const { body } = await world().rest('GET', `/api/sessions/${chat.session_id}/skills`)
  expect(body).toMatchObject([{ id: 'acme/city-map', name: 'City map', description: 'City map' }])
  await chat.run('which skills?')
  const { tools } = world().requests('which skills?')[0]!.body as { tools: { function: { description: string } }[] }
  expect(tools.map(({ function: { description } }) => description)).toContainEqual(expect.stringMatching(/^City map\n/))
})

test('[W3] a wrong method on a path with a colon is 405 too, and says so by its code', async () => {
  const { status, body, headers } = await world().rest(
    'GET',
    `/api/sessions/${await world().newSession()}/skills:upload`,
  )
  expect({ status, code: body['code'], allow: headers.get('allow') }).toEqual({
    status: 405,
    code: 'method_not_allowed',
    allow: 'POST',
  })
})

test('[W12.7] whoever is told the folder of an uploaded skill finds its files there', async () => {
  world().learn({
    'read the words': [
      { calls: [{ name: 'Read', arguments: { file_path: '.skills/acme/words/words.md' } }] },
      { text: 'ok' },
    ],
  })
  await using chat = await world().chat()
  const files = { 'SKILL.md': '---\nname: words\n---\nRead words.md.', 'words.md': 'the first words' }
  const { body } = await upload(chat.session_id, 'acme/words', files)
  const listed = await world().rest('GET', `/api/sessions/${chat.session_id}/ls/${String(body['skill_dir'])}`)
  expect(listed).toMatchObject({ status: 200, body: [{ name: 'SKILL.md' }, { name: 'words.md' }] })
  await chat.run('read the words')
  expect(world().requests('read the words')[1]!.results[0]).toContain('the first words')
  await upload(chat.session_id, 'acme/words', { ...files, 'words.md': 'other words' })
  const read = await world().rest('GET', `/api/sessions/${chat.session_id}/files/.skills/acme/words/words.md`)
  expect(read.body).toBe('other words')
})

test('[W12.7] a configured skill’s files are in the workspace before the model is told of them', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'parley-skills-'))
  await mkdir(join(directory, 'greet'))
  await writeFile(join(directory, 'greet/SKILL.md'), '---\nname: greet\n---\nSay what hello.md says.')
  await writeFile(join(directory, 'greet/hello.md'), 'hello there')
  await using own = await World.open('sqlite', { skillDirs: [directory] })
  const inWorkspace = (session_id: string) => readdir(join(own.dataDir, 'workspaces', session_id, '.skills/greet'))
  let found: string[] = []
  await using chat = await own.chat()
  own.learn({
    greet: (request, round) => {
      if (round === 0) return { calls: [{ name: 'skill__greet', arguments: {} }] }
      if (round > 1) return { text: 'hello' }
      found = /- (\.skills.*)/g.test(request.results[0] ?? '') ? [request.results[0]!] : []
      return { calls: [{ name: 'Read', arguments: { file_path: '.skills/greet/hello.md' } }] }
    },
  })
  await chat.run('greet')
  expect(found).toHaveLength(1)
  expect(await inWorkspace(chat.session_id)).toEqual(['SKILL.md', 'hello.md'])
  expect(own.requests('greet')[2]!.results.at(-1)).toContain('hello there')
  await rm(directory, { recursive: true })
})
