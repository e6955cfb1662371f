/** What a page that mounts the kit may rely on, and what it must never see. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser[Symbol.asyncDispose]())

test('[K14] the callbacks of the latest drawing are the ones that hear', async () => {
  await using opened = await browser.open('')
  const { page } = opened
  await page.evaluate(() => window.test.drawComponent('First'))
  await page.getByRole('complementary', { name: 'First' }).waitFor()
  await page.evaluate(() => window.test.drawComponent('Second'))
  const chat = page.getByRole('complementary', { name: 'Second' })
  await chat.getByRole('textbox', { name: 'Message' }).fill('fly')
  await chat.getByRole('textbox', { name: 'Message' }).press('Enter')
  await chat.getByRole('button', { name: 'Stop answering' }).waitFor()
  await page.evaluate(() =>
    window.test.pushToComponent({ op: 'bridge', action: 'map.fly', payload: null, id: 'call:0' }),
  )
  await page.waitForFunction(() => window.test.bridged.length > 0)
  expect(await page.evaluate(() => window.test.bridged)).toEqual([['Second', 'map.fly']])
})

test('[K8] a chat that is mounted hidden begins when it is shown, with its first question', async () => {
  await using opened = await browser.open('hidden&question=How+high%3F')
  const { page } = opened
  expect(await page.evaluate(() => window.test.kit.store.getSnapshot())).toMatchObject({
    messages: [],
    onboarding: { status: 'idle' },
  })
  await page.evaluate(() => window.test.kit.update({ visible: true }))
  await page.getByText('How high?').first().waitFor()
  await page.waitForFunction(() => window.test.kit.store.getSnapshot().onboarding.status === 'ready')
  await page.evaluate(() => window.test.kit.update({ visible: false }))
  await page.evaluate(() => window.test.kit.update({ visible: true }))
  expect(await page.evaluate(() => window.test.kit.store.getSnapshot().messages.length)).toBe(2)
})

test('[K3.1] the first question is not asked in a conversation in which something was said', async () => {
  await using opened = await browser.open('conversation=answer&question=How+high%3F')
  const { page } = opened
  await page.locator('.ck-row').first().waitFor()
  await settled(page)
  expect(await page.getByText('How high?').count()).toBe(0)
})

test('[K8] a conversation that cannot be opened from the history is told in a banner, and nothing is thrown', async () => {
  await using opened = await browser.open('mode=assistant')
  const { page } = opened
  await page.evaluate(() => {
    window.test.kit.store.adapter.history!.load = () => Promise.reject(new Error('The disk is gone.'))
  })
  await page.getByRole('button', { name: 'History' }).click()
  await page.locator('.ck-history-open', { hasText: 'Conversation answer' }).click()
  await page.locator('.ck-banner.ck-error').waitFor()
  expect(await page.evaluate(() => window.test.errors)).toEqual([])
})

test('[W10.5] a refused answer brings the form back with what was written in it', async () => {
  await using opened = await browser.open('')
  const { page } = opened
  await page.getByRole('textbox', { name: 'Message' }).fill('deploy')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  await page.getByRole('button', { name: 'Stop answering' }).waitFor()
  await page.evaluate(() => {
    window.test.kit.store.adapter.answerQuestion = () => {
      throw new Error('refused')
    }
    const questions = [{ question: 'Where to?', options: [{ label: 'staging' }] }]
    const content = { questionID: 'q', questions, state: 'waiting' }
    window.test.push({ op: 'block', block: { type: 'Question', key: 'q', content } })
    window.test.finish()
  })
  await page.getByLabel('staging').check()
  const own = page.locator('.ck-question input[type=text]')
  await own.fill('but only on Monday')
  await page.locator('.ck-question button[type=submit]').click()
  await page.locator('.ck-message .ck-error').waitFor()
  expect(await own.inputValue()).toBe('but only on Monday')
  expect(await page.getByLabel('staging').isChecked()).toBe(true)
})

test('[K17.1] a question of a sub-agent’s sub-agent is announced like any other', async () => {
  await using opened = await browser.open('')
  const { page } = opened
  await page.getByRole('textbox', { name: 'Message' }).fill('clean')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  await page.getByRole('button', { name: 'Stop answering' }).waitFor()
  await page.evaluate(() => {
    const role = { name: 'Helper', type: 'Assistant' as const, avatar: '' }
    const question = { questionID: 'q', questions: [{ question: 'Which?', options: [] }], state: 'waiting' }
    const asking = { messageID: 'c2', role, content: [{ type: 'Question', key: 'q', content: question }] }
    const agent = (toolCallID: string, messages: object[]) => ({
      ...{ type: 'SubAgent', key: toolCallID },
      content: { toolCallID, title: toolCallID, status: 'awaiting_answer', messages },
    })
    const inner = { messageID: 'c1', role, content: [agent('inner', [asking])] }
    window.test.push({ op: 'block', block: agent('outer', [inner]) })
  })
  await page.locator('[role=alert]', { hasText: 'Question' }).waitFor({ state: 'attached' })
})
