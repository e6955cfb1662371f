import type { InstanceList, SchedulePreview, ToolDetail, ToolList, TriedPolicy, Version } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import { sharedWorld, STORES } from './world.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store, {
    policy: {
      rules: [
        { tool: 'Bash', arguments: { command: 'git *' }, decision: 'allow' },
        { tool: 'Bash', decision: 'ask' },
        { tool: 'Web*', decision: 'deny' },
      ],
      headless: 'deny',
      confirmationMinutes: 10,
    },
  })

  test('[W12.21.11] a tool says its kind, what the policy says to it, and which rule decides', async () => {
    const { body } = await world().rest<ToolList>('GET', '/api/tools')
    const of = (name: string) => body.items.find((tool) => tool.name === name)!
    expect(of('Bash')).toMatchObject({
      policy: { decision: 'ask', by: 'rule', rule: 2, exceptions: [{ rule: 1, decision: 'allow' }] },
    })
    expect(of('WebFetch')).toMatchObject({
      kind: 'built_in',
      policy: { decision: 'deny', by: 'rule', rule: 3, exceptions: [], asks_for_hosts: false },
    })
    expect(of('Read')).toMatchObject({
      kind: 'built_in',
      risk: 'low',
      replay: 'safe',
      policy: { decision: 'allow', by: 'risk', rule: null },
    })
    expect(body.sandbox.level).toEqual(expect.any(String))
  })

  test('[W12.21.12] a tool tells how often its reader has called it today, and the last calls; of nobody else', async () => {
    const glob = { name: 'Glob', arguments: { pattern: '*' } }
    world().learn({ 'look twice': [{ calls: [glob] }, { calls: [glob] }, { text: 'Seen.' }] })
    const before = await detail('Glob')
    await using chat = await world().chat()
    await chat.run('look twice')
    const after = await detail('Glob')
    expect(after.used_today! - before.used_today!).toBe(2)
    expect(after.calls.slice(0, 2)).toMatchObject([{ session_id: chat.session_id }, { session_id: chat.session_id }])
    expect(Date.parse(after.calls[0]!.at)).toBeGreaterThanOrEqual(Date.parse(after.calls[1]!.at))
    const theirs = await detail('Glob', world().strangersKey)
    expect(theirs).toMatchObject({ used_today: 0, calls: [] })
    expect(await detail('TaskList')).toMatchObject({ used_today: null, calls: [] })
    expect((await world().rest('GET', '/api/tools/Nothing')).status).toBe(404)
    await world().rest('DELETE', `/api/sessions/${chat.session_id}`)
    expect((await detail('Glob')).calls.map(({ session_id }) => session_id)).not.toContain(chat.session_id)
  })

  test('[W12.21.13] the owner tries calls on the rules; nothing runs', async () => {
    const tried = async (tool: string, given: object = {}) =>
      (await world().rest<TriedPolicy>('POST', '/api/policy/try', { body: { tool, arguments: given } })).body
    expect(await tried('Bash', { command: 'git status' })).toMatchObject({ decision: 'allow', by: 'rule', rule: 1 })
    expect(await tried('Bash', { command: 'rm -r .' })).toMatchObject({ decision: 'ask', by: 'rule', rule: 2 })
    expect(await tried('Read', { file_path: 'a' })).toMatchObject({ decision: 'allow', by: 'risk', rule: null })
    expect((await world().rest('POST', '/api/policy/try', { body: { tool: 'Nothing' } })).status).toBe(404)
    const token = world().strangersKey
    expect((await world().rest('POST', '/api/policy/try', { body: { tool: 'Bash' }, token })).status).toBe(403)
  })

  test('[W12.21.14] the owner sees the servers that share the database; nobody else does', async () => {
    const { body } = await world().rest<InstanceList>('GET', '/api/instances')
    expect(body).toMatchObject({
      total: 1,
      database: store,
      items: [{ is_this: true, pid: process.pid, state: 'live', runs: 0 }],
    })
    expect(Date.parse(body.items[0]!.lease_until)).toBeGreaterThan(Date.parse(body.items[0]!.started_at))
    const { token: visitor } = await mint(world(), 'dora')
    for (const token of [world().strangersKey, visitor])
      expect((await world().rest('GET', '/api/instances', { token })).status).toBe(403)
  })

  test('[W12.21.14] a run under way counts for whoever holds it', async () => {
    world().learn({ hold: [{ calls: [{ name: 'Look', arguments: { name: 'instance' } }] }, { text: 'Done' }] })
    await using chat = await world().chat()
    const ack = await chat.send('hold')
    await world().gates.reached('instance')
    const { body } = await world().rest<InstanceList>('GET', '/api/instances')
    expect(body.items[0]!.runs).toBe(1)
    world().gates.open('instance')
    await chat.ended(ack)
  })

  test('[W12.21.15] capabilities name what is there, and nothing that is not', async () => {
    const { body } = await world().rest<Version>('GET', '/api/version', { token: null })
    expect(body.capabilities).toEqual(
      expect.arrayContaining(['memory', 'schedules', 'checkpoints', 'knowledge', 'users', 'mcp_servers', 'instances']),
    )
    for (const [name, path] of Object.entries({ inbox: '/api/inbox', usage: '/api/usage', audit: '/api/audit' }))
      expect(body.capabilities.includes(name)).toBe((await world().rest('GET', path)).status !== 404)
  })

  test('[W11.6] the next runs of a timetable are those that the server would keep', async () => {
    const preview = (query: string) => world().rest<SchedulePreview>('GET', `/api/scheduled-tasks/preview?${query}`)
    const { body } = await preview('cron=30 2 * * 1&timezone=Europe/Paris&n=3')
    expect(body).toMatchObject({ cron: '30 2 * * 1', timezone: 'Europe/Paris' })
    expect(body.next).toHaveLength(3)
    const shown = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Paris',
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
    })
    for (const at of body.next) expect(shown.format(new Date(at))).toBe('Mon 02:30')
    expect((await preview('cron=0 9 * * *')).body.next).toHaveLength(5)
    for (const query of [
      'cron=0 9 * * *&n=21',
      'cron=0 9 * * *&n=0',
      'cron=9',
      'cron=0 9 * * *&timezone=Mars',
      'n=5',
      'cron=0 9 * * *&more=1',
    ])
      expect((await preview(query)).status).toBe(422)
    const { token } = await mint(world(), 'emil')
    expect((await world().rest('GET', '/api/scheduled-tasks/preview?cron=0 9 * * *', { token })).status).toBe(403)
  })

  async function detail(name: string, token?: string): Promise<ToolDetail> {
    return (await world().rest<ToolDetail>('GET', `/api/tools/${name}`, token === undefined ? {} : { token })).body
  }
})
