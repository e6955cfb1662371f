import { expect, test } from 'vitest'
import { sharedWorld } from './world.ts'

const world = sharedWorld()
const upload = (session_id: string, name: string, files: Record<string, string>) =>
  world().rest('POST', `/api/sessions/${session_id}/skills:upload`, {
    body: { name, files: Object.entries(files).map(([path, content]) => ({ path, content })) },
  })

test('[12.7] a SKILL.md without a description is described by its name', async () => {
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

test('[3] a wrong method on a path with a colon is 405 too, and says so by its code', async () => {
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
