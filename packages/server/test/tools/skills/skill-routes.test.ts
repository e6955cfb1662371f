import { AgentError } from '@parley/protocol'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createApp } from '../../../src/http/app.ts'
import { skillRoutes } from '../../../src/skills/skill-routes.ts'
import { Rig, skillText, owner } from './rig.ts'

const upload = { name: 'acme/notes', files: [{ path: 'SKILL.md', content: skillText('notes') }] }

test('[W12.7] the routes list, search and show configured skills', async () => {
  await using rig = await Rig.open()
  await rig.write('acme/report/SKILL.md', skillText('report', 'Write [[it]].'))
  await rig.write('acme/report/scripts/a.py', 'print()')
  await using server = await start(rig)
  const summary = { id: 'acme/report', name: 'report', display_name: 'report', source: 'global', version: null }
  expect(await server.get('/api/skills')).toMatchObject({ status: 200, body: [summary] })
  expect(await server.get('/api/skills/installed')).toMatchObject({ status: 200, body: [summary] })
  expect(await server.get('/api/skills/search?q=report&limit=5')).toMatchObject({
    status: 200,
    body: { results: [{ ...summary, score: expect.any(Number) }] },
  })
  expect(await server.get('/api/skills/search')).toMatchObject({ status: 422, body: { code: 'invalid_payload' } })
  expect(await server.get('/api/skills/search?q=x&limit=51')).toMatchObject({ status: 422 })
  expect(await server.get('/api/skills/acme/report')).toMatchObject({
    status: 200,
    body: {
      ...summary,
      content: 'Write [[it]].',
      files: ['SKILL.md', 'scripts/a.py'],
      tools: [{ name: 'skill__acme__report', description: 'What report is good for.' }],
    },
  })
  expect(await server.get('/api/skills/acme%2Freport')).toMatchObject({ status: 200 })
  expect(await server.get('/api/skills/../../etc/passwd')).toMatchObject({ status: 404 })
  expect(await server.get('/api/skills/nobody/nothing')).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('[W12.7] a skill is uploaded, listed, synchronised, installed and counted', async () => {
  await using rig = await Rig.open()
  await rig.write('acme/report/SKILL.md', skillText('report'))
  await using server = await start(rig)
  expect(await server.post('/api/sessions/sess_1/skills:upload', upload)).toEqual({
    status: 200,
    body: { name: 'acme/notes', skill_dir: '.skills/acme/notes', file_count: 1, overwritten: false },
  })
  expect(rig.changes).toHaveLength(1)
  expect(await server.get('/api/sessions/sess_1/skills')).toMatchObject({
    status: 200,
    body: [
      { id: 'acme/notes', source: 'session' },
      { id: 'acme/report', source: 'global' },
    ],
  })
  expect(await server.post('/api/sessions/sess_1/skills:resync', {})).toMatchObject({
    status: 200,
    body: { detail: '2 skills', skills: [{ id: 'acme/notes' }, { id: 'acme/report' }] },
  })
  expect(await server.post('/api/sessions/sess_1/skills/install', { skill_id: 'acme/report' })).toMatchObject({
    status: 200,
    body: { id: 'acme/report' },
  })
  expect(await server.post('/api/sessions/sess_1/skills/install', { skill_id: 'acme/none' })).toMatchObject({
    status: 404,
  })
  expect(await server.get('/api/sessions/sess_1/skill-stats')).toEqual({
    status: 200,
    body: {
      session_id: 'sess_1',
      loaded: [
        { id: 'acme/notes', name: 'notes', tool_count: 1, calls: 3 },
        { id: 'acme/report', name: 'report', tool_count: 1, calls: 0 },
      ],
    },
  })
})

test.each([
  ['GET', 'skills'],
  ['GET', 'skill-stats'],
  ['POST', 'skills:upload'],
  ['POST', 'skills:resync'],
  ['POST', 'skills/install'],
])('%s …/%s of a foreign session is 404 and changes nothing', async (method, route) => {
  await using rig = await Rig.open()
  await using server = await start(rig)
  const path = `/api/sessions/sess_foreign/${route}`
  const answer = method === 'GET' ? await server.get(path) : await server.post(path, upload)
  expect(answer).toMatchObject({ status: 404, body: { code: 'session_not_found' } })
  expect(await rig.skills.listOf(owner('sess_foreign'))).toEqual([])
})

test.each(['Acme/notes', 'notes', 'a/b/c', '../x', 'acme/', '/notes', 'acme/no tes', 'acme/ñ'])(
  'the name %j is refused',
  async (name) => {
    await using rig = await Rig.open()
    await using server = await start(rig)
    expect(await server.post('/api/sessions/sess_1/skills:upload', { ...upload, name })).toMatchObject({
      status: 422,
      body: { code: 'invalid_payload' },
    })
  },
)

test('a hostile path is 400, too many files are 422, too much is 413', async () => {
  await using rig = await Rig.open()
  await using server = await start(rig)
  const post = async (files: object[]) =>
    (await server.post('/api/sessions/sess_1/skills:upload', { name: 'acme/notes', files })).status
  expect(await post([...upload.files, { path: '../x', content: '' }])).toBe(400)
  expect(await post(Array.from({ length: 201 }, (_, i) => ({ path: `f${i}`, content: '' })))).toBe(422)
  expect(await post([...upload.files, { path: 'x', content: 'x'.repeat(2 * 1024 * 1024) }])).toBe(413)
})

type Answer = { status: number; body: unknown }

/** A server on a real port where `sess_1` is the caller's, and nothing else is. */
async function start(rig: Rig) {
  const app = createApp(
    pino({ level: 'silent' }),
    () => ({ isAllowed: true, isPreflight: false, headers: {} }) as never,
  )
  skillRoutes(app, {
    skills: rig.skills,
    async ownerOf(_request, session_id) {
      if (session_id !== 'sess_1') throw new AgentError('session_not_found', 'There is no such session.')
      return owner(session_id)
    },
    callsOf: async () => ({ skill__acme__notes: 3 }),
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const answer = async (response: Response): Promise<Answer> => ({
    status: response.status,
    body: await response.json(),
  })
  return {
    get: async (path: string) => answer(await fetch(url + path)),
    post: async (path: string, body: unknown) =>
      answer(
        await fetch(url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    [Symbol.asyncDispose]: () => app.close(),
  }
}
