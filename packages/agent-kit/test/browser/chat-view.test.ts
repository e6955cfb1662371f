/** A program of the origin with a ChatView, on a real server with the demo model. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from '../../../chatkit/test/browser/axe.ts'
import { answered, idle, say, sessionOf } from './do-in-chat.ts'
import { type App, openApp } from './open-app.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
}, 120_000)
afterAll(() => app[Symbol.asyncDispose]())

describe('a conversation', () => {
  test('[W14.6] a message is sent, its answer streams in, and both are there after a reload', async () => {
    await using opened = await app.open()
    const { page, problems } = opened
    await page.getByText('What can I do for you?').waitFor()
    await say(page, 'Write a long answer with headings, a table and code')
    await page.getByRole('button', { name: 'Stop answering' }).waitFor()
    await answered(page, 'What streaming is')
    expect(await page.getByText('It ends here').count()).toBe(0)
    await answered(page, 'It ends here')
    await idle(page)
    await page.goto(app.address(`session=${await sessionOf(page)}`))
    await answered(page, 'It ends here')
    expect(await page.locator('.ck-message[data-role=User]').innerText()).toContain('Write a long answer')
    expect(problems).toEqual([])
  })

  test('[W14.6] stop ends the run; what was said stays', async () => {
    await using opened = await app.open()
    const { page } = opened
    await say(page, 'Answer slowly, so that I can stop you')
    await answered(page, 'I take my time')
    await page.getByRole('button', { name: 'Stop answering' }).click()
    await idle(page)
    expect(await page.locator('.ck-md').innerText()).toContain('I take my time')
    await say(page, 'Hello')
    await answered(page, 'demo model')
  })

  test('[W14.6] a run that the program began through the socket shows, and stops with the button', async () => {
    await using opened = await app.open()
    const { page } = opened
    const session_id = await sessionOf(page)
    await page.evaluate((id) => {
      const { client } = window as unknown as { client: { socket(): { emit(name: string, payload: object): void } } }
      client.socket().emit('chat:send', { session_id: id, message: 'Answer slowly, so that I can stop you' })
    }, session_id)
    await answered(page, 'I take my time')
    await page.getByRole('button', { name: 'Stop answering' }).click()
    await idle(page)
    expect(await page.getByText('go on with another message').count()).toBe(0)
  })

  test('[WR-74] works when setActiveSession was never called', async () => {
    await using opened = await app.open('inactive')
    const { page } = opened
    await say(page, 'Hello')
    await answered(page, 'demo model')
    expect(await page.locator('header b').textContent()).toBe('no active session')
  })

  test('[W14.6] without a session one is created, and is the active one', async () => {
    await using opened = await app.open('own-session')
    const { page } = opened
    await say(page, 'Hello')
    await answered(page, 'demo model')
    expect(await page.locator('header b').textContent()).toMatch(/^sess_/)
  })

  test('[W14.6] another session in its place shows that one alone', async () => {
    await using opened = await app.open()
    const { page, problems } = opened
    await say(page, 'Hello')
    await answered(page, 'demo model')
    await idle(page)
    await page.evaluate(async () => {
      const { client, setSessionId } = window as unknown as {
        client: { sessions: { createSession(): Promise<{ session_id: string }> } }
        setSessionId(id: string): void
      }
      setSessionId((await client.sessions.createSession()).session_id)
    })
    await page.getByText('What can I do for you?').waitFor()
    expect(await page.locator('.ck-message').count()).toBe(0)
    await say(page, 'List the files in the workspace')
    await answered(page, 'The workspace is empty')
    expect(problems).toEqual([])
  })

  test('[W12.7] [W14.6] a session of a solution begins with what its role says first', async () => {
    await using opened = await app.open()
    const { page, problems } = opened
    await page.evaluate(async () => {
      const { client, setSessionId } = window as unknown as {
        client: { sessions: { createSession(intent: string, more: object): Promise<{ session_id: string }> } }
        setSessionId(id: string): void
      }
      const solution = { solution_id: 'software_factory', biz_role_id: 'sf_tasks' }
      setSessionId((await client.sessions.createSession('', solution)).session_id)
    })
    await page.getByText('How many people, how much time?').waitFor()
    expect(await page.getByText('What can I do for you?').count()).toBe(0)
    await say(page, 'Hello')
    await answered(page, 'demo model')
    expect(await page.getByText('How many people, how much time?').count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('[W14.6] a session that is not there is said, and nothing hangs', async () => {
    await using opened = await app.open('session=sess_000000000000000000000000')
    await opened.page.getByRole('alert').getByText('This conversation does not exist').waitFor()
  })

  test('[W14.5] a provider that makes the client itself serves the API shortcuts too', async () => {
    await using opened = await app.open('provider')
    await say(opened.page, 'Hello')
    await answered(opened.page, 'demo model')
    expect(opened.problems).toEqual([])
  })

  test('[W14.6] fills the flex parent and scrolls inside', async () => {
    await using opened = await app.open()
    const { page } = opened
    await say(page, 'Write a long answer with headings, a table and code')
    await answered(page, 'It ends here')
    await idle(page)
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(800)
    const { y, height } = (await page.locator('.ak-view').boundingBox())!
    expect(Math.round(y + height)).toBe(800)
    expect(await page.locator('.ck-list').evaluate((list) => list.scrollHeight > list.clientHeight)).toBe(true)
    expect(
      await page.locator('.ck-list').evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 2),
    ).toBe(true)
  })
})

describe('what an agent asks', () => {
  test('[W14.6] [W10.5] a question is a form, and its answer resumes the run', async () => {
    await using opened = await app.open()
    const { page } = opened
    await say(page, 'Ask me a question')
    const form = page.getByRole('region', { name: 'Question' }).or(page.locator('.ck-question'))
    await form.first().waitFor()
    await idle(page)
    for (const group of await page.getByRole('group').all())
      await group.locator('input[type=radio], input[type=checkbox]').first().check()
    expect(await axeViolations(page)).toEqual([])
    await page.locator('.ck-question button[type=submit]').click()
    await answered(page, 'You answered')
    await idle(page)
  })

  test('[W14.5] a text sent while a question waits answers it', async () => {
    await using opened = await app.open()
    const { page } = opened
    await say(page, 'Ask me a question')
    await page.locator('.ck-question button[type=submit]').waitFor()
    await idle(page)
    await say(page, 'the blue one')
    await answered(page, /You answered.*the blue one/s)
    expect(await page.locator('.ck-message[data-role=User]').count()).toBe(1)
  })

  test('[W14.6] a confirmation asks before the deed', async () => {
    await using opened = await app.open()
    const { page } = opened
    await say(page, 'Do something that needs my confirmation')
    await page.locator('.ck-confirmation').waitFor()
    await idle(page)
    await page.getByRole('button', { name: 'Approve' }).click()
    await answered(page, 'You agreed')
  })

  test('[W14.6] [W10.6] a sub-agent is a panel that opens', async () => {
    await using opened = await app.open()
    const { page } = opened
    await say(page, 'Delegate this to a sub-agent')
    const panel = page.locator('.ak-sub-agent')
    await panel.getByText('done').waitFor()
    await idle(page)
    expect(await panel.getByText('The workspace holds').count()).toBe(0)
    await panel.getByRole('button').click()
    await panel.getByText('The workspace holds').waitFor()
  })

  test('[W14.3] [W10.7] the panel of a sub-agent that asks is open, and its question can be answered', async () => {
    await using opened = await app.open()
    const { page } = opened
    await say(page, 'Let a sub-agent ask me something')
    await page.locator('.ak-sub-agent .ck-question input').first().check()
    await idle(page)
    await page.locator('.ak-sub-agent .ck-question button[type=submit]').click()
    await answered(page, 'The user chose')
    await idle(page)
  })
})
