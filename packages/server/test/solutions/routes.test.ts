import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RoleList, Solution } from '@parley/protocol/rest'
import { solutionSchema } from '@parley/protocol/schemas'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import { Folders } from '../agents/folders.ts'
import { STORES, World } from '../wire/world.ts'
import { SHOP, solutionOf, solutionsOf } from './shop.ts'

const SECRET = 'sk-nobody-shall-see-this'

describe.each(STORES)('on %s', (store) => {
  let folders: Folders
  let world: World

  beforeAll(async () => {
    folders = await Folders.make({
      ...SHOP,
      'shop/ui.json': '{"branding":{"name":"商店"}}',
      'shop/page.html': '<script>alert(1)</script>',
      'shop/mcp.json': JSON.stringify({
        far: { url: 'https://mcp.example.com', headers: { a: SECRET }, disabled: true },
      }),
      'shop/policy.yaml': 'rules: []',
      'shop/.env': SECRET,
      'shop/live.env': SECRET,
      'shop/server.key': SECRET,
      'shop/roles/seller/.hidden': SECRET,
      'shop/skills/prices/resources/crm.mcp.json': JSON.stringify({
        crm: { url: 'https://crm.example.com', headers: { a: SECRET }, disabled: true },
      }),
      'shop/skills/prices/tools.py': `# ${SECRET}`,
      'outside.txt': SECRET,
      'broken/solution.yaml': 'name: 7\nmodle: x\n',
      'broken/roles/one/role.yaml': 'id: two\nname: One\nlocal_skills: [none]\n',
    })
    await writeFile(join(folders.path, 'shop', 'picture.png'), Buffer.from([0xff, 0xd8, 0x00, 0xff]))
    await mkdir(join(folders.path, 'shop', 'inner'))
    await symlink('../ui.json', join(folders.path, 'shop', 'inner', 'ui.json'))
    world = await World.open(store, { solutionsDir: folders.path })
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await folders[Symbol.asyncDispose]()
  })

  test('[W12.7.3] GET /api/solutions lists all with their roles, and to the owner what is wrong with folders', async () => {
    const { items, problems } = await solutionsOf(world)
    expect(items.map(({ id }) => id)).toEqual(['general_chat', 'shop', 'skill_editor', 'software_factory'])
    for (const item of items) expect(solutionSchema.parse(item)).toEqual(item)
    expect(items.find(({ id }) => id === 'shop')!.roles.map(({ id }) => id)).toEqual(['seller', 'buyer'])
    expect(Object.keys(problems!)).toEqual(['broken'])
    const lines = problems!['broken']!.split('\n').map((line) => line.slice(line.indexOf('broken/')))
    expect(lines).toEqual([
      expect.stringMatching(/^broken\/solution\.yaml:1: name: /),
      'broken/solution.yaml:2: modle: there is no such field. Did you mean model?',
      'broken/roles/one/role.yaml:1: id: must be the name of its folder, one',
      'broken/roles/one/role.yaml:3: local_skills.0: there is no skills/none/SKILL.md',
    ])
    expect(world.warnings.join()).toContain('broken/solution.yaml:2: modle')
    const others = await solutionsOf(world, world.strangersKey)
    expect(others).toEqual({ items })
  })

  test('[W12.7] GET …/biz-roles gives the roles in their order, for the caller', async () => {
    const roles = await world.rest<RoleList>('GET', '/api/solutions/shop/biz-roles')
    const me = (await world.rest<{ id: string }>('GET', '/api/auth/me')).body.id
    expect(roles.body).toEqual({ solution_id: 'shop', user_id: me, items: (await solutionOf(world, 'shop'))!.roles })
    const token = world.strangersKey
    const theirs = (await world.rest<{ id: string }>('GET', '/api/auth/me', { token })).body.id
    const other = await world.rest<RoleList>('GET', `/api/solutions/shop/biz-roles?user_id=${theirs}`)
    expect(other.body).toMatchObject({ user_id: theirs, items: [{ id: 'seller' }, { id: 'buyer' }] })
    expect((await world.rest('GET', `/api/solutions/shop/biz-roles?user_id=${me}`, { token })).status).toBe(403)
    expect((await world.rest('GET', '/api/solutions/shop/biz-roles', { token })).body).toMatchObject({
      user_id: theirs,
    })
    expect((await world.rest('GET', '/api/solutions/general_chat/biz-roles')).body).toMatchObject({ items: [] })
  })

  test('[W12.7.5] GET …/files gives texts of the folder, as text or JSON, and never as a page', async () => {
    const ui = await world.rest('GET', '/api/solutions/shop/files/ui.json')
    expect([ui.status, ui.body]).toEqual([200, { branding: { name: '商店' } }])
    expect((await world.rest('GET', '/api/solutions/shop/files/inner%2Fui.json')).body).toEqual(ui.body)
    expect((await world.rest('GET', '/api/solutions/shop/files/inner/ui.json/')).body).toEqual(ui.body)
    const page = await world.rest('GET', '/api/solutions/shop/files/page.html')
    expect([page.body, page.headers.get('content-type')]).toEqual([
      '<script>alert(1)</script>',
      'text/plain; charset=utf-8',
    ])
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('content-security-policy')).toContain('sandbox')
    expect((await world.rest('GET', '/api/solutions/shop/files/roles/seller/instructions.md')).body).toBe('You sell.\n')
    expect(await world.rest('GET', '/api/solutions/shop/files/picture.png')).toMatchObject({ status: 422 })
  })

  test.each([
    ...['mcp.json', 'policy.yaml', '.env', 'live.env', 'server.key', 'roles/seller/.hidden', 'roles', 'nothing.md'],
    ...['skills/prices/resources/crm.mcp.json', 'skills/prices/tools.py', 'MCP.JSON', './ui.json', 'inner//ui.json'],
  ])('[W12.7.5] a file that may hold secrets, or is not there, is 404: %s', async (path) => {
    const { status, body } = await world.rest('GET', `/api/solutions/shop/files/${encodeURIComponent(path)}`)
    expect([path, status, body['code']]).toEqual([path, 404, 'not_found'])
    expect(JSON.stringify(body)).not.toContain(SECRET)
  })

  test.each(['../outside.txt', 'roles/../../outside.txt', '/etc/passwd', 'a\0b', '..\\outside.txt'])(
    '[W12.7.5] [W3] a path that leaves the folder is refused: %j',
    async (path) => {
      const { status, body } = await world.rest('GET', `/api/solutions/shop/files/${encodeURIComponent(path)}`)
      expect([path, status, body['code']]).toEqual([path, 400, 'invalid_path'])
    },
  )

  test('[W12.7] an unknown solution is 404; strangers and visitors come no further than the door', async () => {
    const paths = ['/api/solutions', '/api/solutions/shop/biz-roles', '/api/solutions/shop/files/ui.json']
    const { token } = await mint(world, 'anna')
    for (const path of paths) {
      expect([path, (await world.rest('GET', path, { token: null })).status]).toEqual([path, 401])
      expect([path, (await world.rest('GET', path, { token: world.expiredToken })).status]).toEqual([path, 401])
      expect([path, (await world.rest('GET', path, { token })).status]).toEqual([path, 403])
      expect([path, (await world.rest('POST', path)).status]).toEqual([path, 405])
      for (const id of ['nobody', 'broken', '..', 'SHOP', encodeURIComponent('../shop'), 'x'.repeat(300)]) {
        const unknown = path.replace('/shop/', `/${encodeURIComponent(id)}/`)
        if (unknown !== path) expect([unknown, (await world.rest('GET', unknown)).status]).toEqual([unknown, 404])
      }
    }
  })

  test('[W12.7.1] a version of a solution is used again by the same call as an agent’s', async () => {
    const before = (await solutionOf(world, 'shop')) as Solution
    await folders.write({ 'shop/instructions.md': 'Another shop.' })
    await expect.poll(async () => (await solutionOf(world, 'shop'))!.digest).not.toBe(before.digest)
    const used = await world.rest('POST', `/api/agents/solution%2Fshop/versions/${before.digest}:use`)
    expect(used).toMatchObject({ status: 200, body: { name: 'solution/shop', version: before.digest } })
    expect((await solutionOf(world, 'shop'))!.digest).toBe(before.digest)
    expect(world.errors).toEqual([])
  })
})
