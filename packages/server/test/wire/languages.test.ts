import type { PatchMode, TurnProjection } from '@parley/protocol'
import type { FakeReply } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import type { Chat } from './chat.ts'
import { Folders } from '../agents/folders.ts'
import { sharedWorld, World } from './world.ts'

type Language = 'zh' | 'en'

/** What is said on either side: the test knows it, the server only passes it on. */
const SAID =
  /Delete the note|Which city|Paris|Rome|Capitals|Look it up|Go on|no key for you|fake-model|Note gone|Well|ran rm note/g
const HAN = /\p{Script=Han}/u
/** A sentence, as opposed to names, ids and codes. */
const ENGLISH = /\b[A-Za-z]{2,}(?: [a-z]{2,}){2,}/

const wanted: Record<Language, (words: string) => void> = {
  en: (words) => expect(words).not.toMatch(HAN),
  zh: (words) => expect(words.replaceAll(SAID, '')).not.toMatch(ENGLISH),
}

/** Everything of ours in a turn that people read. */
function wordsOf(turn: TurnProjection): string[] {
  const calls = turn.tool_calls.flatMap(({ display_name, arguments: given, result }) => [
    display_name,
    given.includes('"confirmation"') ? JSON.stringify((JSON.parse(given) as { questions: unknown }).questions) : '',
    result === null ? '' : JSON.stringify(result),
  ])
  const blocks = turn.blocks.flatMap((block) => [
    block.display_name ?? '',
    ['text', 'thinking', 'tool_use'].includes(block.type) ? '' : JSON.stringify(block.content),
  ])
  return [...calls, ...blocks, turn.failure_reason ?? '']
}

describe.each(['zh', 'en'] as const)('a server whose own language is %s', (own) => {
  const policy = {
    rules: [{ tool: 'Bash', decision: 'ask' as const }],
    headless: 'fail' as const,
    confirmationMinutes: 15,
  }
  const world = sharedWorld('sqlite', { language: own, policy })

  async function readers(): Promise<Record<string, { chat: Chat; language: Language }>> {
    const session_id = await world().newSession()
    const open = async (language: Language, patch_mode: PatchMode, by: 'handshake' | 'header') => ({
      language,
      chat: await world().chat({
        session_id,
        auth: { patch_mode, ...(by === 'handshake' && { language: language === 'zh' ? 'zh-CN' : 'en-GB' }) },
        // The handshake wins.
        headers: { 'accept-language': by === 'header' ? language : language === 'zh' ? 'en' : 'zh' },
      }),
    })
    return {
      'zh delta': await open('zh', 'delta', 'handshake'),
      'en delta': await open('en', 'delta', 'header'),
      'zh compat': await open('zh', 'compat', 'header'),
      'en compat': await open('en', 'compat', 'handshake'),
      'zh sync': await open('zh', 'sync', 'handshake'),
      'en sync': await open('en', 'sync', 'handshake'),
    }
  }

  /** The same turns over REST, and folded from what the socket sent. */
  async function expectWords(chat: Chat, language: Language): Promise<void> {
    const path = `/api/sessions/${chat.session_id}`
    const headers = { 'accept-language': language }
    const { body: turns } = await world().rest<TurnProjection[]>('GET', `${path}/messages`, { headers })
    for (const words of turns.flatMap(wordsOf)) wanted[language](words)
    const folded = chat.fold().turns
    for (const words of folded.flatMap(wordsOf)) wanted[language](words)
    for (const turn of folded) expect(turn.tool_calls).toEqual(turns.find(({ id }) => id === turn.id)?.tool_calls)
    for (const { name, payload } of chat.received) {
      if (name === 'system:error') wanted[language](String(payload['message']))
      if (name === 'system:notification') wanted[language](`${String(payload['title'])} ${String(payload['detail'])}`)
      if (name === 'chat:end' && payload['error']) wanted[language]((payload['error'] as { message: string }).message)
    }
  }

  const script: Record<string, FakeReply[]> = {
    'Capitals, please': [
      {
        calls: [
          {
            name: 'AskUserQuestion',
            arguments: { questions: [{ question: 'Which city?', options: [{ label: 'Paris' }, { label: 'Rome' }] }] },
          },
        ],
      },
      { calls: [{ name: 'Agent', arguments: { description: 'Look it up', prompt: 'Look it up' } }] },
      { text: 'Paris it is.' },
    ],
    'Look it up': [{ text: 'Paris.' }],
    'Delete the note': [{ calls: [{ name: 'Bash', arguments: { command: 'rm note' } }] }, { text: 'Well.' }],
    'Delete the note again': [{ calls: [{ name: 'Bash', arguments: { command: 'rm note' } }] }, { text: 'Note gone.' }],
    'Delete the note later': [{ calls: [{ name: 'Bash', arguments: { command: 'rm note' } }] }],
    'Go on instead': [{ text: 'Well.' }],
    'Plan it': [{ text: 'Well.' }],
  }

  test(
    'every reader reads the server in their own language, and the model reads the same whoever reads along',
    { timeout: 60_000 },
    async () => {
      world().learn({
        ...script,
        'no key': () => ({ error: { status: 401, body: { error: { message: 'no key for you' } } } }),
      })
      const all = await readers()
      const { chat: first } = all['en compat']!
      await first.run('Capitals, please')
      await first.answer()
      await first.run('Delete the note')
      await first.answer({ '0': [1] })
      await first.run('Delete the note again')
      for (const { chat, language } of Object.values(all)) {
        const headers = { 'accept-language': language }
        const { body } = await world().rest<{
          pending_question: { arguments: { questions: { options: object[] }[] } }
        }>('GET', `/api/sessions/${chat.session_id}`, { headers })
        const labels = language === 'zh' ? ['同意', '拒绝'] : ['Approve', 'Reject']
        expect(body.pending_question.arguments.questions[0]!.options).toMatchObject(labels.map((label) => ({ label })))
      }
      await first.answer()
      await first.run('Delete the note later')
      await first.run('Go on instead')
      const last = await first.run('no key')
      for (const { chat, language } of Object.values(all)) {
        await chat.ended(last.ack)
        await expectWords(chat, language)
        await chat[Symbol.asyncDispose]()
      }
      const asked = world().requests('Delete the note').at(-1)!
      expect(JSON.stringify(asked)).toContain('rejected by the user')
    },
  )

  test('[W15] refusals over REST and sockets are in the reader’s language, and the server’s own where nobody asked', async () => {
    for (const [header, language] of [
      ['zh-CN,zh;q=0.9', 'zh'],
      ['en-US', 'en'],
      ['*', own],
      ['fr', own],
    ] as const) {
      const headers = { 'accept-language': header }
      const missing = await world().rest<{ detail: string }>('GET', '/api/sessions/none', { headers })
      expect(missing.body).toMatchObject({
        code: 'session_not_found',
        detail: language === 'zh' ? '没有会话 none。' : 'There is no session none.',
      })
      const unknown = await world().rest<{ detail: string }>('GET', '/api/sessions', { headers, token: null })
      expect(HAN.test(unknown.body.detail)).toBe(language === 'zh')
      const nowhere = await world().rest('GET', '/api/nowhere', { headers })
      expect(nowhere.body).toMatchObject({ detail: 'Not Found' })
      const { body } = await world().rest<{ items: { name: string; display_name: string }[] }>('GET', '/api/tools', {
        headers,
      })
      expect(body.items.find(({ name }) => name === 'Read')!.display_name).toBe(
        language === 'zh' ? '读取文件' : 'Read file',
      )
      await using client = await world().connect({ headers })
      const refused = await client.ask('chat:send', { session_id: 'none', message: 'Hi' })
      expect(HAN.test(String(refused['message']))).toBe(language === 'zh')
      expect((await client.until('system:error')).payload['message']).toBe(refused['message'])
    }
    const error = await world()
      .connect({ token: 'bad', auth: { language: 'zh' } })
      .then(() => undefined)
      .catch((reason: Error & { data: { detail: string } }) => reason)
    expect(error).toMatchObject({ message: 'unauthorized', data: { code: 'unauthorized' } })
    expect(error!.data.detail).toMatch(HAN)
  })

  test('[W11.3] a chat over REST, and as an event stream, fails in the reader’s language', async () => {
    world().learn({
      'no key at all': () => ({ error: { status: 401, body: { error: { message: 'no key for you' } } } }),
    })
    for (const language of ['zh', 'en'] as const) {
      const headers = { 'accept-language': language }
      const path = `/api/sessions/${await world().newSession()}/chat`
      const body = { message: 'no key at all' }
      const answer = await world().rest<{ detail: string }>('POST', path, { body, headers })
      expect(answer).toMatchObject({ status: 502, body: { code: 'llm_error' } })
      expect(answer.body.detail).toContain('no key for you')
      wanted[language](answer.body.detail)
      const stream = await world().rest<string>('POST', path, {
        body: { ...body, headless: false },
        headers: { ...headers, accept: 'text/event-stream' },
      })
      const told = /event: chat:end\ndata: (.*)/.exec(stream.body)![1]!
      wanted[language]((JSON.parse(told) as { error: { message: string } }).error.message)
    }
  })
})

test('[W12.21.16] a skill is called by its name in the reader’s language, over REST and sockets', async () => {
  await using skills = await Folders.make({
    'tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up\ndisplay_name: { zh: 整理, en: Tidy up }\n---\nTidy up.',
  })
  await using world = await World.open('sqlite', { skillDirs: [skills.path], language: 'en' })
  const headers = { 'accept-language': 'zh' }
  type Named = { display_name: string }
  const { body: all } = await world.rest<Named[]>('GET', '/api/skills', { headers })
  const { body: one } = await world.rest<Named>('GET', '/api/skills/tidy', { headers })
  const { body: found } = await world.rest<{ results: Named[] }>('GET', '/api/skills/search?q=tidy', { headers })
  expect([all[0], one, found.results[0]].map((skill) => skill!.display_name)).toEqual(['整理', '整理', '整理'])

  const session_id = await world.newSession()
  await using reader = await world.chat({ session_id, auth: { language: 'zh-CN' } })
  const path = `/api/sessions/${session_id}`
  const { body } = await world.rest<{ skills: Named[] }>('POST', `${path}/skills:resync`)
  expect(body.skills[0]!.display_name).toBe('Tidy up')
  const { payload } = await reader.client.until('skills:changed')
  expect(payload['skills']).toMatchObject([{ display_name: '整理' }])
})
