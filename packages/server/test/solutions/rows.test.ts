import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Folders } from '../agents/folders.ts'
import { mint } from '../auth/visitors.ts'
import { STORES, World } from '../wire/world.ts'
import { SHOP } from './shop.ts'

const SKILL = (name: string) => `---\nname: ${name}\ndescription: How to ${name}.\n---\nText of ${name}.\n`

type Row = {
  request: readonly [method: string, path: string, body?: object]
  /** What a good answer has. */
  good: unknown
  /** The same request with something that cannot be meant, and what is said to it. */
  bad: readonly [method: string, path: string, body: object | undefined, status: number]
}

const UPLOAD = { name: 'acme/notes', files: [{ path: 'SKILL.md', content: SKILL('notes') }] }
const PRICES = { id: 'prices', source: 'solution' }
const WALK = {
  id: 'walk',
  name: 'walk',
  display_name: 'walk',
  description: 'How to walk.',
  source: 'global',
  version: null,
}

/** Every row of the table in W12.7; `S` is a session in the role `seller` of the shop. */
const ROWS: readonly Row[] = [
  { request: ['GET', '/api/skills'], good: [WALK], bad: ['PUT', '/api/skills', undefined, 405] },
  { request: ['GET', '/api/skills/installed'], good: [WALK], bad: ['PUT', '/api/skills/installed', undefined, 405] },
  {
    request: ['GET', '/api/skills/search?q=walk&limit=5'],
    good: { results: [{ ...WALK, score: expect.any(Number) }] },
    bad: ['GET', '/api/skills/search?limit=0', undefined, 422],
  },
  {
    request: ['GET', '/api/skills/walk'],
    good: { ...WALK, content: 'Text of walk.', files: ['SKILL.md'], tools: [{ name: 'skill__walk' }] },
    bad: ['GET', '/api/skills/no/such', undefined, 404],
  },
  { request: ['GET', 'S/skills'], good: [PRICES], bad: ['GET', '/api/sessions/sess_none/skills', undefined, 404] },
  {
    request: ['GET', 'S/skill-stats'],
    good: { loaded: [{ id: 'prices', name: 'prices', tool_count: 1, calls: 0 }] },
    bad: ['GET', '/api/sessions/sess_none/skill-stats', undefined, 404],
  },
  {
    request: ['POST', 'S/skills:upload', UPLOAD],
    good: { name: 'acme/notes', skill_dir: '.skills/acme/notes', file_count: 1 },
    bad: ['POST', 'S/skills:upload', { ...UPLOAD, name: '../notes' }, 422],
  },
  {
    request: ['POST', 'S/skills:resync'],
    good: { detail: expect.any(String), skills: expect.arrayContaining([expect.objectContaining(PRICES)]) },
    bad: ['POST', '/api/sessions/sess_none/skills:resync', undefined, 404],
  },
  {
    request: ['POST', 'P/skills/install', { skill_id: 'walk' }],
    good: WALK,
    bad: ['POST', 'P/skills/install', { skill_id: '' }, 422],
  },
  {
    request: ['GET', '/api/solutions'],
    good: { items: expect.arrayContaining([expect.objectContaining({ id: 'shop' })]) },
    bad: ['DELETE', '/api/solutions', undefined, 405],
  },
  {
    request: ['GET', '/api/solutions/shop/biz-roles'],
    good: { solution_id: 'shop', items: [{ id: 'seller' }, { id: 'buyer' }] },
    bad: ['GET', '/api/solutions/none/biz-roles', undefined, 404],
  },
  {
    request: ['GET', '/api/solutions/shop/files/instructions.md'],
    good: 'This is the shop.\n',
    bad: ['GET', '/api/solutions/shop/files/..%2Fx', undefined, 400],
  },
]

describe.each(STORES)('on %s', (store) => {
  let folders: Folders
  let world: World
  const sessions = { seller: '', plain: '' }
  const at = (path: string) =>
    path.replace(/^S\//, `/api/sessions/${sessions.seller}/`).replace(/^P\//, `/api/sessions/${sessions.plain}/`)

  beforeAll(async () => {
    const solutions = Object.entries(SHOP).map(([path, text]) => [`solutions/${path}`, text])
    folders = await Folders.make({ ...Object.fromEntries(solutions), 'skills/walk/SKILL.md': SKILL('walk') })
    world = await World.open(store, {
      solutionsDir: `${folders.path}/solutions`,
      skillDirs: [`${folders.path}/skills`],
    })
    sessions.seller = await world.newSession({ solution_id: 'shop', biz_role_id: 'seller' })
    sessions.plain = await world.newSession()
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await folders[Symbol.asyncDispose]()
  })

  test.each(ROWS)('[W12.7] $request.0 $request.1: an answer, 401, what is somebody else’s, bad input', async (row) => {
    const [method, path, body] = row.request
    const asked = (token?: string | null) =>
      world.rest(method, at(path), { ...(body && { body }), ...(token !== undefined && { token }) })
    const good = await asked()
    expect([good.status, good.body]).toMatchObject([200, row.good])
    expect((await asked(null)).status).toBe(401)
    expect((await asked('sk-wrong')).status).toBe(401)
    expect((await asked((await mint(world, 'anna')).token)).status).toBe(403)
    // What belongs to a session is its owner's; what the server has, everybody's who has an account.
    expect((await asked(world.strangersKey)).status).toBe(/^[SP]\//.test(path) ? 404 : 200)
    const [badMethod, badPath, badBody, status] = row.bad
    const bad = await world.rest(badMethod, at(badPath), badBody ? { body: badBody } : {})
    expect([badPath, bad.status, typeof bad.body['detail']]).toEqual([badPath, status, 'string'])
    expect(world.errors).toEqual([])
  })

  test('[W12.7.2] a skill that the role does not have cannot be installed', async () => {
    const install = { body: { skill_id: 'walk' } }
    const answer = await world.rest('POST', at('S/skills/install'), install)
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })

  test('[W12.7.2] imported_skills are the configured skills that a role has', async () => {
    await folders.write({
      'solutions/shop/roles/buyer/role.yaml': 'name: Buyer\nimported_skills: [walk]\ntools: []',
      'solutions/shop/roles/seller/role.yaml': 'name: Seller\nimported_skills: []\nlocal_skills: [stock]',
    })
    const skillsOf = async (biz_role_id: string) => {
      const id = await world.newSession({ solution_id: 'shop', biz_role_id })
      return (await world.rest<{ id: string }[]>('GET', `/api/sessions/${id}/skills`)).body.map((skill) => skill.id)
    }
    await expect.poll(() => skillsOf('buyer')).toEqual(['walk'])
    expect(await skillsOf('seller')).toEqual(['stock'])
  })
})
