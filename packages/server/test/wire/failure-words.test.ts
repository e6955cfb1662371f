import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import { sharedWorld, STORES } from './world.ts'

const HAN = /\p{Script=Han}/u
/** What a provider's error may name: the model, its key, its host, where the operator should look. */
const OPERATORS = /fake-model|Incorrect API key|billing@acme|HTTP 401|PARLEY_MODEL|no key for you/

describe.each(STORES)('[D7] on %s, a provider’s own words', (store) => {
  const world = sharedWorld(store)
  const refusal = { error: { status: 401, body: { error: { message: 'Incorrect API key of billing@acme' } } } }

  test('reach the people of the account, wherever they read, and the log', async () => {
    world().learn({ 'who am I': () => refusal })
    await using chat = await world().chat()
    const run = await chat.run('who am I')
    for (const told of [
      run.end.error!.message,
      String(run.events.find(({ name }) => name === 'system:error')!.payload['message']),
      (await chat.messages()).at(-1)!.failure_reason,
    ])
      expect(told).toMatch(/Incorrect API key of billing@acme.*PARLEY_MODEL/)
    expect(world().warnings.join()).toMatch(/A model call failed.*Incorrect API key of billing@acme.*PARLEY_MODEL/)
  })

  test('never reach a visitor: plain words in their language, and the code', async () => {
    let tries = 0
    world().learn({
      'who are you': () => refusal,
      'in a moment': () =>
        tries++ === 0
          ? { error: { status: 429, retryAfter: 0, body: { error: { message: 'no key for you' } } } }
          : { text: 'Here.' },
    })
    const { token } = await mint(world(), 'visitor-7')
    for (const language of ['zh', 'en'] as const) {
      tries = 0
      const headers = { 'accept-language': language }
      const session_id = await world().newSession({}, token)
      for (const patch_mode of ['delta', 'compat', 'sync']) {
        await using chat = await world().chat({ session_id, token, auth: { language, patch_mode } })
        const run = await chat.run('who are you')
        expect(run.end.error).toMatchObject({ code: 'llm_error' })
        expect(HAN.test(run.end.error?.message ?? '')).toBe(language === 'zh')
        expect(JSON.stringify(chat.received)).not.toMatch(OPERATORS_BUT_MODEL)
        await using late = await world().chat({ session_id, token, auth: { language, patch_mode } })
        await late.client.ask('session:subscribe', { session_id, since: 0 })
        expect(JSON.stringify(late.received)).not.toMatch(OPERATORS_BUT_MODEL)
      }
      const path = `/api/sessions/${session_id}`
      const messages = await world().rest('GET', `${path}/messages`, { token, headers })
      expect(JSON.stringify(messages.body)).not.toMatch(OPERATORS_BUT_MODEL)
      expect(JSON.stringify(messages.body)).toMatch(
        language === 'zh' ? /llm_error: 模型暂时/ : /llm_error: The model could/,
      )
      const body = { message: 'who are you' }
      const answer = await world().rest<{ detail: string; code: string }>('POST', `${path}/chat`, {
        body,
        token,
        headers,
      })
      expect(answer.body.code).toBe('llm_error')
      expect(answer.body.detail).not.toMatch(OPERATORS)
      const stream = await world().rest<string>('POST', `${path}/chat`, {
        body: { ...body, headless: false },
        token,
        headers: { ...headers, accept: 'text/event-stream' },
      })
      expect(stream.body).toContain('event: chat:end')
      expect(stream.body).not.toMatch(OPERATORS_BUT_MODEL)
      await using chat = await world().chat({ session_id, token, auth: { language } })
      const retried = await chat.run('in a moment')
      const [notice] = retried.events.filter(({ name }) => name === 'system:notification')
      expect(notice!.payload).toMatchObject({ notification_type: 'llm:retry' })
      expect(JSON.stringify(notice!.payload)).not.toMatch(OPERATORS)
      expect(HAN.test(String(notice!.payload['title']))).toBe(language === 'zh')
      const sessions = await world().rest('GET', '/api/sessions', { token, headers })
      expect(JSON.stringify(sessions.body)).not.toMatch(OPERATORS_BUT_MODEL)
    }
  })
})

/** Turns name the model that answered, for everybody. */
const OPERATORS_BUT_MODEL = new RegExp(OPERATORS.source.replace('fake-model|', ''))
