import type { Session, SessionDetail } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { agentsOf, Folders } from '../agents/folders.ts'
import { type Answer, STORES, World } from '../wire/world.ts'
import { SHOP, solutionOf } from './shop.ts'

type Begun = Session & { session_id: string; code?: string; detail?: string }

function begin(world: World, body: object): Promise<Answer<Begun>> {
  return world.rest('POST', '/api/sessions', { body })
}

describe.each(STORES)('on %s', (store) => {
  test('[W12.7.2] [W11.2] a session of a solution is told what its role is told, and has its tools and skills', async () => {
    await using folders = await Folders.make(SHOP)
    await using world = await World.open(store, { solutionsDir: folders.path })
    const { body } = await begin(world, { solution_id: 'shop', biz_role_id: 'seller' })
    expect(body).toMatchObject({ solution_id: 'shop', biz_role_id: 'seller', mode: 'executing' })
    world.learn({ 'what do you sell': [{ text: 'Pots.' }] })
    await using chat = await world.chat(body)
    const { events } = await chat.run('what do you sell')
    const [request] = world.requests('what do you sell')
    expect(request!.system).toBe('This is the shop.\n\nYou sell.')
    expect([...request!.tools].sort()).toEqual(['Agent', 'Read', 'Work', 'skill__prices'])
    const starts = events.filter(({ name }) => name === 'turn:start').map(({ payload }) => payload['solution_id'])
    expect(starts).toEqual(['shop', 'shop'])
    expect(world.errors).toEqual([])
  })

  test('[W12.7.1] [W11.2] the detail of a session has its solution as it was when the session began', async () => {
    await using folders = await Folders.make(SHOP)
    await using world = await World.open(store, { solutionsDir: folders.path })
    const begun = (await begin(world, { solution_id: 'shop' })).body
    const { solution, ...session } = await world.session(begun.id)
    expect(session).toMatchObject({ solution_id: 'shop', biz_role_id: 'seller', primary_skill_snapshot: null })
    expect(session.agent).toEqual({ name: 'solution/shop', version: solution!.digest })
    expect(solution).toEqual({
      ...{ id: 'shop', name: 'The shop', version: '1.2', description: 'Sells pots.', layout_type: 'chat-preview' },
      initial_mode: null,
      initial_message: 'What can we do for you?',
      data: { colour: 'blue', shelves: [1, 2] },
      preview: { url: '/shelf.html', title: null },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      roles: [
        {
          ...{ id: 'seller', name: 'Seller', description: 'Sells.' },
          ...{ initial_mode: null, initial_message: null, layout_type: null, preview: null },
        },
        {
          ...{ id: 'buyer', name: 'Buyer', description: '' },
          ...{ initial_mode: 'planning', initial_message: 'What is missing?', layout_type: null, preview: null },
        },
      ],
    })
    await folders.write({ 'shop/solution.yaml': SHOP['shop/solution.yaml'].replace('Sells pots', 'Sells pans') })
    await expect.poll(async () => (await solutionOf(world, 'shop'))!.description).toBe('Sells pans.')
    expect((await world.session(begun.id)).solution!.description).toBe('Sells pots.')
    expect((await agentsOf(world)).map(({ name }) => name)).toEqual(['default'])
  })

  test('[W10.14] [WR-46] a session begins in the mode of its role, else of its solution', async () => {
    await using folders = await Folders.make({
      ...SHOP,
      'plans/solution.yaml': 'name: Plans\ninitial_mode: planning\nroles: [doer, planner]',
      'plans/roles/doer/role.yaml': 'name: Doer\ninitial_mode: executing',
      'plans/roles/planner/role.yaml': 'name: Planner',
    })
    await using world = await World.open(store, { solutionsDir: folders.path })
    const modeOf = async (solution_id: string, biz_role_id: string) => {
      const { id } = (await begin(world, { solution_id, biz_role_id })).body
      const { mode, session_setup } = await world.session(id)
      return [mode, session_setup.mode]
    }
    expect(await modeOf('shop', 'seller')).toEqual(['executing', 'executing'])
    expect(await modeOf('shop', 'buyer')).toEqual(['planning', 'planning'])
    expect(await modeOf('plans', 'doer')).toEqual(['executing', 'executing'])
    expect(await modeOf('plans', 'planner')).toEqual(['planning', 'planning'])
    const { id } = (await begin(world, { solution_id: 'shop', biz_role_id: 'buyer' })).body
    world.learn({ 'what is missing': [{ text: 'Pans.' }] })
    await using chat = await world.chat({ session_id: id })
    const { trace } = await chat.run('what is missing')
    expect(world.requests('what is missing')[0]!.system).toMatch(/^This is the shop\.\n\nYou are in planning mode/)
    expect(trace.join()).not.toContain('system')
  })

  test('[W12.7.1] [W11.2] an unknown solution, role or skill is 422 by the name of its field', async () => {
    await using folders = await Folders.make(SHOP)
    await using world = await World.open(store, { solutionsDir: folders.path })
    const wrong: [object, string][] = [
      [{ solution_id: 'nobody' }, 'solution_id'],
      [{ solution_id: '' }, 'solution_id'],
      [{ solution_id: '../shop' }, 'solution_id'],
      [{ solution_id: 'solution/shop' }, 'solution_id'],
      [{ solution_id: 'shop', biz_role_id: 'boss' }, 'biz_role_id'],
      [{ solution_id: 'shop', biz_role_id: '' }, 'biz_role_id'],
      [{ solution_id: 'shop', biz_role_id: 'constructor' }, 'biz_role_id'],
      [{ biz_role_id: 'seller' }, 'biz_role_id'],
      [{ primary_skill_id: 'nobody/nothing' }, 'primary_skill_id'],
      // Another role's.
      [{ solution_id: 'shop', biz_role_id: 'seller', primary_skill_id: 'stock' }, 'primary_skill_id'],
      [{ solution_id: 'shop', agent: 'default' }, 'agent'],
    ]
    for (const [body, field] of wrong)
      expect([body, await begin(world, body)]).toMatchObject([
        body,
        { status: 422, body: { code: 'invalid_payload', detail: expect.stringMatching(new RegExp(`^${field}: `)) } },
      ])
    expect((await begin(world, { solution_id: 7 })).status).toBe(422)
    expect((await begin(world, { agent: 'solution/shop' })).body.code).toBe('agent_not_available')
    expect(await world.sessions()).toEqual([])
    expect(world.errors).toEqual([])
  })

  test('[W12.7.6] [W11.2] a session begins with its primary skill: the text in the prompt, the files in the workspace', async () => {
    await using folders = await Folders.make({ ...SHOP, 'shop/skills/stock/references/list.md': 'pots, pans' })
    await using world = await World.open(store, { solutionsDir: folders.path })
    const wanted = { solution_id: 'shop', biz_role_id: 'buyer', primary_skill_id: 'stock' }
    const { id } = (await begin(world, wanted)).body
    const paths = ['.skills/stock/SKILL.md', '.skills/stock/references/list.md']
    const snapshot = {
      ...{ id: 'stock', name: 'stock', display_name: 'stock', description: 'What there is.', version: null },
      ...{ source: 'solution', content: 'See prices (call the tool skill__prices).', files: paths },
    }
    expect((await world.session(id)).primary_skill_snapshot).toEqual(snapshot)
    const file = await world.rest('GET', `/api/sessions/${id}/files/${paths[1]}`)
    expect(file.body).toBe('pots, pans')
    await folders.write({ 'shop/skills/stock/SKILL.md': '---\nname: stock\ndescription: d\n---\nAnother text.\n' })
    world.learn({ 'what is there': [{ text: 'Pots.' }], 'and there': [{ text: 'Pans.' }] })
    await using chat = await world.chat({ session_id: id })
    await chat.run('what is there', { mode: 'executing' })
    await world.stop()
    await world.start()
    await using later = await world.chat({ session_id: id })
    await later.run('and there')
    const prompts = [...world.requests('what is there'), ...world.requests('and there')].map(({ system }) => system)
    expect(prompts[0]).toMatch(
      /^This is the shop\.\n\n[^]*skill stock[^]*See prices \(call the tool skill__prices\)\.[^]*list\.md$/,
    )
    expect(prompts[1]).toBe(prompts[0])
    expect((await world.session(id)).primary_skill_snapshot).toEqual(snapshot)
  })

  test('[W12.7.1] a run goes on in the role and the version that its session began with, after an edit and a restart', async () => {
    await using folders = await Folders.make(SHOP)
    await using world = await World.open(store, { solutionsDir: folders.path })
    const { id } = (await begin(world, { solution_id: 'shop', biz_role_id: 'seller' })).body
    world.learn({
      'hold on': [{ calls: [{ name: 'Work', arguments: { name: 'edit' } }] }, { text: 'ok' }],
      again: [{ text: 'ok' }],
    })
    await using chat = await world.chat({ session_id: id })
    const running = chat.run('hold on')
    await world.gates.reached('edit')
    await folders.write({
      'shop/solution.yaml': 'name: Another\nroles: [buyer]',
      'shop/roles/seller/instructions.md': 'You steal.',
    })
    await expect.poll(async () => (await solutionOf(world, 'shop'))!.name).toBe('Another')
    world.gates.open('edit')
    expect((await running).end).toMatchObject({ status: 'completed' })
    await world.stop()
    await folders.remove('shop')
    await world.start()
    await using later = await world.chat({ session_id: id })
    await later.run('again')
    const all = [...world.requests('hold on'), ...world.requests('again')]
    expect(new Set(all.map(({ system }) => system))).toEqual(new Set(['This is the shop.\n\nYou sell.']))
    expect(all.at(-1)!.tools).toContain('skill__prices')
    expect((await begin(world, { solution_id: 'shop' })).status).toBe(422)
    expect(((await world.rest<SessionDetail>('GET', `/api/sessions/${id}`)).body.solution ?? {}).name).toBe('The shop')
    expect(world.errors).toEqual([])
  })

  test('[W12.7.4] programs that name the origin’s solutions run; a folder of the same id takes the place of ours', async () => {
    await using folders = await Folders.make()
    await using world = await World.open(store, { solutionsDir: folders.path, systemPrompt: 'The server speaks.' })
    const ids = ['general_chat', 'skill_editor', 'software_factory']
    world.otherwise(() => ({ text: 'hello' }))
    for (const solution_id of ids) {
      const { body } = await begin(world, { solution_id })
      expect(body).toMatchObject({ solution_id, agent: { name: `solution/${solution_id}` } })
      await using chat = await world.chat({ session_id: body.id })
      expect((await chat.run(`hello ${solution_id}`)).end).toMatchObject({ status: 'completed' })
    }
    const told = (id: string) => world.requests(`hello ${id}`)[0]!.system
    expect(told('general_chat')).toBe('The server speaks.')
    expect(told('skill_editor')).toContain('SKILL.md')
    expect(told('software_factory')).toContain('Your step is the requirements.')
    await folders.write({ 'skill_editor/solution.yaml': 'name: Ours', 'general_chat/solution.yaml': 'nam: wrong' })
    await expect.poll(async () => (await solutionOf(world, 'skill_editor'))!.name).toBe('Ours')
    // Nobody gets ours because theirs is not ready.
    await expect.poll(async () => (await begin(world, { solution_id: 'general_chat' })).status).toBe(422)
    await folders.remove('general_chat')
    await expect.poll(async () => (await begin(world, { solution_id: 'general_chat' })).status).toBe(200)
    expect(world.errors).toEqual([])
  })
})
