import { expect, test } from 'vitest'
import { nextOn, setUp } from './fast-client.ts'

test('[W14.1] headless.run resolves with the answer’s text, and lets the connection go', async () => {
  await using setup = await setUp()
  expect(await setup.client.headless.run('法国的首都是什么?')).toBe('巴黎')
  if (setup.client.socket().active) await nextOn(setup.client, 'disconnect')
  expect(setup.server.commands.find(({ name }) => name === 'chat:send')?.payload).toMatchObject({ headless: true })
})

test('[W10.13] with a schema the result is the object, and the schema goes along', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const schema = { type: 'object', properties: { countries: { type: 'array' } } }
  server.scripts['default'] = async (session, { output_schema }) => {
    await session.start()
    await session.end({ result: { output: { countries: ['俄罗斯'] }, schema: output_schema } })
  }
  expect(await client.headless.run('list', { schema })).toEqual({ countries: ['俄罗斯'] })
})

test('[W14.1] runWithSession also tells the ids; runInSession uses a session that exists', async () => {
  await using setup = await setUp()
  const { client } = setup
  const first = await client.headless.runWithSession('one')
  expect(first).toEqual({ session_id: 'sess_1', chat_run_id: 'chat_1', result: '巴黎' })
  expect(await client.headless.runInSession(first.session_id, 'two')).toBe('巴黎')
  expect(setup.server.session('sess_1').projection.turns).toHaveLength(4)
})

test('[W14.1] a failed run rejects with HeadlessError and its code', async () => {
  await using setup = await setUp()
  const failed = setup.client.headless.run('fail')
  await expect(failed).rejects.toMatchObject({
    name: 'HeadlessError',
    code: 'llm_error',
    message: 'The provider hung up.',
  })
})

test('[W14.1] a stopped run rejects with interrupted', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  server.scripts['default'] = async (session) => {
    await session.start()
    await session.end({ status: 'interrupted' })
  }
  await expect(client.headless.run('x')).rejects.toMatchObject({ code: 'interrupted' })
})

test('[W14.1] after timeoutMs the run is stopped and the call rejects with timeout', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const script = server.scripts['stop']!
  const stopped = new Promise<void>((resolve) => {
    server.scripts['stop'] = async (session, message) => {
      await script(session, message)
      resolve()
    }
  })
  await expect(client.headless.run('stop', { timeoutMs: 300 })).rejects.toMatchObject({ code: 'timeout' })
  await stopped
})

test('[W14.1] headless.run survives a lost connection', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const script = server.scripts['default']!
  server.scripts['default'] = async (session, message) => {
    let cuts = 0
    session.afterEvent = () => {
      if (server.connections() > 0 && (cuts += 1) % 2 === 0) server.cut()
    }
    await script(session, message)
  }
  expect(await client.headless.run('法国的首都是什么?')).toBe('巴黎')
})

test('[W14.1] a caller’s abort stops the run', async () => {
  await using setup = await setUp()
  const { server, client } = setup
  const caller = new AbortController()
  const script = server.scripts['stop']!
  server.scripts['stop'] = (session, message) => {
    session.afterEvent = () => caller.abort(new Error('changed my mind'))
    return script(session, message)
  }
  await expect(client.headless.run('stop', { signal: caller.signal })).rejects.toThrow('changed my mind')
})
