/** What a program of the origin and its ChatView do for each other, on a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, box, choose, idle, say, sessionOf } from './do-in-chat.ts'
import { type App, openApp } from './open-app.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
}, 120_000)
afterAll(() => app[Symbol.asyncDispose]())

describe('tools', () => {
  test('[W14.6] a call is a row with its arguments and its result; onToolCall hears of it once', async () => {
    await using opened = await app.open()
    const { page, problems } = opened
    await say(page, 'List the files in the workspace')
    await answered(page, 'The workspace is empty')
    await idle(page)
    await page.locator('.ak-tool button').first().click()
    await page.getByText('**/*').waitFor()
    expect(await page.evaluate(() => (window as unknown as { log: { called: string[] } }).log.called)).toEqual(['Glob'])
    await page.goto(app.address(`session=${await sessionOf(page)}`))
    await answered(page, 'The workspace is empty')
    expect(await page.evaluate(() => (window as unknown as { log: { called: string[] } }).log.called)).toEqual([])
    expect(problems).toEqual([])
  })

  test('[W7.10] a bridge action reaches the map and the commands once, and not again from history', async () => {
    await using opened = await app.open()
    const { page, problems } = opened
    await choose(page, 'Scripted')
    await say(page, 'highlight the cities')
    await answered(page, 'Look at the page')
    expect(await page.locator('#map').textContent()).toBe('hangzhou,ningbo')
    const commands = () => page.evaluate(() => (window as unknown as { log: { commands: unknown[] } }).log.commands)
    expect(await commands()).toEqual([{ cityIds: ['hangzhou', 'ningbo'] }])
    await page.goto(app.address(`session=${await sessionOf(page)}`))
    await answered(page, 'Look at the page')
    expect(await page.locator('#map').textContent()).toBe('')
    expect(await commands()).toEqual([])
    expect(problems).toEqual([])
  })

  test('[W14.6] a card for the side goes to onPreview; without it the chat shows it', async () => {
    await using opened = await app.open('preview')
    await choose(opened.page, 'Scripted')
    await say(opened.page, 'preview the report')
    await answered(opened.page, 'Look at the page')
    const previews = () =>
      opened.page.evaluate(() => (window as unknown as { log: { previews: unknown[] } }).log.previews)
    expect(await previews()).toEqual(['Report'])
    await opened.page.getByRole('button', { name: 'Report', exact: true }).click()
    expect(await previews()).toEqual(['Report', 'Report'])
    await using plain = await app.open(`session=${await sessionOf(opened.page)}`)
    await plain.page.getByRole('button', { name: 'Report', exact: true }).click()
    await plain.page.frameLocator('.ak-preview iframe').getByText('Rain').waitFor()
    await plain.page.getByRole('button', { name: 'Close' }).click()
    expect(await plain.page.locator('.ak-preview').count()).toBe(0)
  })
})

describe('what the page changes', () => {
  test('[W14.6] classNames, renderers.tool and ToolCall are used', async () => {
    await using opened = await app.open('custom')
    const { page, problems } = opened
    await page.locator('.x-empty .own-empty').waitFor()
    await say(page, 'List the files in the workspace')
    await page.locator('.x-call .glob-card', { hasText: 'Glob **/* done' }).waitFor()
    await page.locator('.x-turn .x-text', { hasText: 'The workspace is empty' }).waitFor()
    await idle(page)
    for (const name of [
      'x-root',
      'x-list-root',
      'x-list-content',
      'x-list-inner',
      'x-user',
      'x-input-root',
      'x-input-inner',
    ])
      expect(await page.locator(`.${name}`).count(), name).toBe(1)
    expect(await page.locator('.x-skills-root .x-skills-inner').innerText()).toContain('Weather report')
    await say(page, 'Ask me a question')
    await page.locator('.own-call[data-session=waiting_for_input]').getByRole('button').click()
    await answered(page, 'You answered')
    await page.locator('.own-call[data-status=done] i', { hasText: /\w/ }).waitFor()
    expect(problems).toEqual([])
  })

  test('[W14.6] features that are switched off are not there', async () => {
    await using opened = await app.open()
    await opened.page.getByLabel('Model').waitFor()
    await using plain = await app.open('plain')
    const { page } = plain
    await page.locator('.ak-skills').waitFor()
    await box(page).pressSequentially('/wea')
    expect(await page.getByRole('option', { name: /Weather/ }).count()).toBe(0)
    expect(await page.getByLabel('Model').count()).toBe(0)
    expect(await page.locator('.ak-voice').count()).toBe(0)
  })

  test('[W14.6] a failure has its class name, says why in the server’s words and can be tried again; also after a reload', async () => {
    await using opened = await app.open('custom')
    const { page } = opened
    await choose(page, 'Scripted')
    await say(page, 'refuse this')
    await page.locator('.x-error', { hasText: 'No.' }).waitFor()
    expect(await page.locator('.x-error').innerText()).toContain('llm_error')
    await idle(page)
    // The answer that failed makes room for the next one, which fails as well.
    const failed = await page.locator('.x-error').elementHandle()
    await page.locator('.x-error').getByRole('button', { name: 'Try again' }).click()
    await page.waitForFunction((element) => !element?.isConnected, failed)
    await page.locator('.x-error', { hasText: 'No.' }).waitFor()
    await idle(page)
    await page.goto(app.address(`custom&session=${await sessionOf(page)}`))
    await page.locator('.x-user', { hasText: 'refuse this' }).waitFor()
    await page.locator('.x-error', { hasText: 'No.' }).waitFor()
    expect([await page.locator('.x-user').count(), await page.locator('.x-error').count()]).toEqual([1, 1])
  })

  test('[W14.6] UserMessage and AssistantTurn draw the messages', async () => {
    await using opened = await app.open('custom&turns')
    const { page, problems } = opened
    await say(page, 'Hello')
    await page.locator('.own-turn', { hasText: 'demo model' }).waitFor()
    expect(await page.locator('.own-user').innerText()).toBe('Hello')
    expect(problems).toEqual([])
  })
})

describe('what the page brings', () => {
  type Bridge = {
    useUiBridgeStore: {
      getState(): {
        addPendingContext(id: string, context: { label: string; content: string }): void
        addDraftAppend(id: string, text: string): void
        addSendRequest(id: string): void
      }
    }
  }

  test('[W14.5] a context is a pill, goes with the next message, and only with that', async () => {
    await using opened = await app.open()
    const { page } = opened
    const id = await sessionOf(page)
    await choose(page, 'Scripted')
    const add = (label: string, content: string) =>
      page.evaluate(
        ([session, context]) =>
          (window as unknown as Bridge).useUiBridgeStore.getState().addPendingContext(session, context),
        [id, { label, content }] as const,
      )
    await add('Order 17', 'three bicycles')
    await add('Customer', 'Mira')
    await page.getByRole('button', { name: 'Remove: Customer' }).click()
    await say(page, 'What is in it?')
    await answered(page, 'three bicycles')
    expect(app.lastQuestion()).toBe('【上下文: Order 17】\n{\n  "Order 17": "three bicycles"\n}\n\nWhat is in it?')
    await page.locator('.ck-message[data-role=User] .ck-message-context', { hasText: 'Order 17' }).waitFor()
    expect(await page.locator('.ak-pills').count()).toBe(0)
    await idle(page)
    await say(page, 'And now?')
    await answered(page, 'Heard: And now?')
  })

  test('[W14.5] a draft is added to the input, and a send request sends it', async () => {
    await using opened = await app.open()
    const { page } = opened
    const id = await sessionOf(page)
    await choose(page, 'Scripted')
    await box(page).fill('Compare')
    await page.evaluate((session) => {
      const bridge = (window as unknown as Bridge).useUiBridgeStore.getState()
      bridge.addDraftAppend(session, 'Berlin')
      bridge.addDraftAppend(session, 'and Bonn')
    }, id)
    expect(await box(page).inputValue()).toBe('Compare Berlin and Bonn')
    await page.evaluate(
      (session) => (window as unknown as Bridge).useUiBridgeStore.getState().addSendRequest(session),
      id,
    )
    await answered(page, 'Heard: Compare Berlin and Bonn')
    expect(await box(page).inputValue()).toBe('')
  })

  test('[W14.6] skills are offered with / and @', async () => {
    await using opened = await app.open()
    const { page } = opened
    await page.locator('.ak-skills', { hasText: 'Weather report' }).waitFor()
    await box(page).pressSequentially('/wea')
    await page.getByRole('option', { name: /Weather report/ }).waitFor()
    await box(page).press('Enter')
    expect(await box(page).inputValue()).toBe('/weather-report ')
    await box(page).fill('')
    await box(page).pressSequentially('ask @')
    await page.getByRole('option', { name: /Weather report/ }).click()
    expect(await box(page).inputValue()).toBe('ask @weather-report ')
    expect(await page.locator('.ck-message').count()).toBe(0)
  })

  test('[W14.6] a file goes with the message', async () => {
    await using opened = await app.open()
    const { page } = opened
    await page
      .locator('.ck-composer input[type=file]')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
    await page.locator('.ck-attachments', { hasText: 'note.txt' }).waitFor()
    await say(page, 'List the files in the workspace')
    await answered(page, 'uploads/note.txt')
  })
})
