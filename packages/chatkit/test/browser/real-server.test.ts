import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { type Chat, type Log, openServer, type World } from './open-server.ts'

// ChatKit over a real Parley server, with a person at the keyboard. Only the model is a stand-in.

let world: World
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  world = await openServer()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const call = (name: string, args: object) => JSON.stringify({ name, arguments: args })
const question = { header: 'Colour', question: 'Which colour?', multiSelect: false }
const ask = {
  questions: [
    {
      ...question,
      options: [
        { label: 'Red', description: 'warm' },
        { label: 'Blue', description: 'cool' },
      ],
    },
  ],
}

test('[K5] an answer streams in word by word, and is complete at the end', async () => {
  await using opened = await world.open()
  const { page, chat, foreign } = opened
  await chat.say('slow please')
  await page.getByText('word3', { exact: false }).waitFor()
  expect(await page.locator('.ck-message').last().textContent()).not.toContain('word119')
  await chat.answer('word119')
  await chat.idle()
  expect(await axeViolations(page)).toEqual([])
  expect([foreign, await chat.problems()]).toEqual([[], []])
})

test('[K20.5] a tool is a row that opens with its arguments and its result', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say(call('Bash', { command: 'echo from the sandbox' }))
  await chat.answer('Done: ')
  // [K20.5] Two turns of one run: one header, one tool bar.
  expect(await page.locator('.ck-author').count()).toBe(2)
  expect(await page.locator('.ck-message[data-role=Assistant] .ck-tools').count()).toBe(1)
  await page.locator('.ck-row-button').first().click()
  const details = page.locator('.ck-tool .ck-code')
  await details.first().getByText('echo from the sandbox').waitFor()
  await details.last().getByText('from the sandbox').waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'real-tool.png') })
})

test('[K20.5] a question is answered in its form, and the answer reaches the model', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say(call('AskUserQuestion', ask))
  await page.getByLabel('Blue').check()
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'real-question.png') })
  await page.getByRole('button', { name: 'Submit' }).click()
  await chat.answer('Done: ')
  expect(await page.locator('.ck-message').last().textContent()).toContain('Blue')
})

test('[D5] a confirmation with edited arguments runs exactly what was approved', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say(call('Write', { file_path: 'note.txt', content: 'as the model wanted' }))
  await page.getByRole('button', { name: 'Edit first' }).click()
  const draft = page.locator('.ck-arguments')
  await draft.fill((await draft.inputValue()).replace('as the model wanted', 'as the person wanted'))
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'real-confirmation.png') })
  await page.getByRole('button', { name: 'Approve' }).click()
  await chat.answer('Done: ')
  const content = await world.text(`/api/sessions/${await chat.conversation()}/files/note.txt`)
  expect(content).toBe('as the person wanted')
})

test('[D5] a rejected confirmation runs nothing', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say(call('Write', { file_path: 'never.txt', content: 'x' }))
  await page.getByRole('button', { name: 'Reject' }).click()
  await chat.answer('Done: ')
  const entries = await world.api<{ name: string }[]>(`/api/sessions/${await chat.conversation()}/ls/`)
  expect(entries.map(({ name }) => name)).not.toContain('never.txt')
})

test('[K20.5] a sub-agent’s question stands in its panel and is answered there', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say(call('Agent', { description: 'Choose a colour', prompt: call('AskUserQuestion', ask) }))
  const panel = page.locator('.ck-sub-agent')
  await panel.getByLabel('Red').check()
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'real-sub-agent.png') })
  await panel.getByRole('button', { name: 'Submit' }).click()
  await chat.answer('Done: Done: ')
})

test('[K5] stop ends the answer where it is, on the server too', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say('slow, then stop')
  await page.getByText('word3', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await chat.idle()
  expect(await page.locator('.ck-message').last().textContent()).not.toContain('word119')
  await expect
    .poll(async () => (await world.api<{ status: string }>(`/api/sessions/${await chat.conversation()}`)).status)
    .not.toBe('running')
})

test('[W10.15] a connection lost in the middle of an answer costs nothing of it', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say('slow, with a cut')
  await page.getByText('word3', { exact: false }).waitFor()
  world.line.cut()
  await chat.answer('word119')
  await chat.idle()
  const text = (await page.locator('.ck-message .ck-md').last().textContent()) ?? ''
  expect(text.match(/word\d+/g)).toEqual(Array.from({ length: 120 }, (_, i) => `word${i}`))
})

test('[K20.5] files go with their message; a picture is shown again after a reload, a file can be fetched', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  const picker = page.locator('input[type=file]')
  await picker.setInputFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(DOT, 'base64') },
    { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') },
  ])
  await page.locator('.ck-attachments').getByText('list.csv').waitFor()
  expect(await axeViolations(page)).toEqual([])
  await chat.say('Look at these')
  await chat.answer('You said')
  await chat.idle()
  const id = await chat.conversation()
  const kept = await world.api<{ name: string }[]>(`/api/sessions/${id}/ls/uploads`)
  expect(kept.map(({ name }) => name).toSorted()).toEqual(['dot.png', 'list.csv'])
  await using again = await world.open(`conversation=${id}`)
  await again.page.locator('img.ck-image').waitFor()
  // The picture once, under its own name; only what is no picture is a chip.
  for (const shown of [page, again.page]) {
    const message = shown.locator('.ck-message[data-role=User]')
    expect(await message.locator('img.ck-image').count()).toBe(1)
    expect(await message.getByRole('img', { name: 'dot.png' }).count()).toBe(1)
    expect(await message.locator('.ck-chip').allTextContents()).toEqual([expect.stringContaining('list.csv')])
    expect(await message.getByText('dot.png').count()).toBe(1)
  }
  expect(await axeViolations(again.page)).toEqual([])
  const [download] = await Promise.all([
    again.page.waitForEvent('download'),
    again.page.getByRole('button', { name: /list\.csv/ }).click(),
  ])
  expect(download.suggestedFilename()).toBe('list.csv')
  await again.page.screenshot({ path: join(shots, 'real-files.png') })
})

test('[K8] a conversation is found in the history and opened again, and goes on', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say('remember the heron')
  await chat.answer('You said')
  await chat.idle()
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.locator('.ck-message').first().waitFor({ state: 'detached' })
  if ((await page.getByRole('button', { name: 'History' }).getAttribute('aria-expanded')) !== 'true')
    await page.getByRole('button', { name: 'History' }).click()
  const row = page.getByRole('button', { name: /remember the heron/ })
  await row.first().waitFor()
  expect(await axeViolations(page)).toEqual([])
  await row.first().click()
  await chat.answer('remember the heron')
  await chat.say('and now')
  await chat.answer('and now')
  expect(await page.locator('.ck-message').count()).toBe(4)
})

test('[W10.18] two tabs on one session show the same, while it streams and after an answer', async () => {
  await using first = await world.open()
  await first.chat.say('hello')
  await first.chat.answer('You said')
  await first.chat.idle()
  await using second = await world.open(`conversation=${await first.chat.conversation()}`)
  await second.chat.answer('You said')
  await first.chat.say('slow in both')
  await second.page.getByText('word3', { exact: false }).waitFor()
  await second.chat.answer('word119')
  await first.chat.answer('word119')
  await first.chat.idle()
  await second.chat.say(call('AskUserQuestion', ask))
  await first.page.getByLabel('Blue').check()
  await first.page.getByRole('button', { name: 'Submit' }).click()
  for (const { chat, page } of [first, second]) {
    await chat.answer('Done: ')
    expect(await page.getByRole('button', { name: 'Submit' }).count()).toBe(0)
  }
})

describe('[W10.14] planning first', () => {
  const propose = (plan: string) => call('SubmitPlan', { plan, steps: ['Measure', 'Cut'] })
  const modeOf = async (chat: Chat) =>
    (await world.api<{ mode: string }>(`/api/sessions/${await chat.conversation()}`)).mode
  async function proposed(query = '') {
    const opened = await world.open(query)
    const { page, chat } = opened
    await page.getByRole('button', { name: 'Plan first' }).click()
    await chat.say(propose('For the shelf:\n\n1. Measure\n2. Cut'))
    await page.locator('.ck-plan').getByText('Measure').waitFor()
    await chat.idle()
    return opened
  }

  test('[W10.14] nothing is changed, the plan shows its steps once, and is carried out on a click', async () => {
    await using opened = await proposed()
    const { page, chat } = opened
    expect(await modeOf(chat)).toBe('planning')
    const plan = page.locator('.ck-plan')
    expect(await plan.getByText('Measure', { exact: true }).count()).toBe(1)
    expect(await plan.textContent()).toContain('For the shelf:')
    // The change of mode is no message of its own.
    expect(await page.locator('.ck-author').count()).toBe(2)
    expect(await axeViolations(page)).toEqual([])
    await page.screenshot({ path: join(shots, 'real-plan.png') })
    await page.getByRole('button', { name: 'Run the plan' }).click()
    await chat.answer('You said')
    await chat.idle()
    expect(await modeOf(chat)).toBe('executing')
    expect(await plan.count()).toBe(1)
    expect(await plan.textContent()).toContain('approved')
    expect(await page.getByRole('button', { name: 'Plan first' }).getAttribute('aria-pressed')).toBe('false')
  })

  test('[W10.14] the steps of an approved plan follow the task list, in one plan, also after a reload', async () => {
    await using opened = await proposed()
    const { page, chat } = opened
    await page.getByRole('button', { name: 'Run the plan' }).click()
    await chat.answer('You said')
    await chat.idle()
    const tasks = await world.api<{ id: string; title: string }[]>(`/api/sessions/${await chat.conversation()}/tasks`)
    const [first] = tasks.filter(({ title }) => title === 'Measure')
    await chat.say(call('TaskUpdate', { id: first!.id, status: 'completed' }))
    await page.locator('.ck-plan li[data-status=completed]', { hasText: 'Measure' }).waitFor()
    await chat.idle()
    await using again = await world.open(`conversation=${await chat.conversation()}`)
    await again.page.locator('.ck-plan li[data-status=completed]', { hasText: 'Measure' }).waitFor()
    for (const shown of [page, again.page]) {
      expect(await shown.getByText('Measure', { exact: true }).count()).toBe(1)
      expect(await shown.locator('.ck-plan').count()).toBe(1)
      expect(await shown.locator('.ck-plan').textContent()).toContain('in progress')
      expect(await shown.locator('.ck-tasks').count()).toBe(0)
    }
  })

  test('[W10.14] a plan is changed with the user’s words: the composer waits for them, still planning', async () => {
    await using opened = await proposed()
    const { page, chat } = opened
    await page.getByRole('button', { name: 'Change' }).click()
    const box = page.locator('.ck-composer-text')
    expect(await box.inputValue()).toBe('Change the plan: ')
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.type('sand it, too')
    await page.keyboard.press('Enter')
    await chat.answer('You said Change the plan: sand it, too')
    await chat.idle()
    expect(await modeOf(chat)).toBe('planning')
    // No other plan came of it: this one still waits.
    expect(await page.getByRole('button', { name: 'Run the plan' }).count()).toBe(1)
    await page.locator('.ck-plan').getByText('waiting for you').waitFor()
  })

  test('[W10.14] a refused plan is not carried out, and says so', async () => {
    await using opened = await proposed()
    const { page, chat } = opened
    await page.getByRole('button', { name: 'Reject' }).click()
    await chat.answer('You said I reject this plan.')
    await chat.idle()
    expect(await modeOf(chat)).toBe('planning')
    await page.locator('.ck-plan').getByText('rejected').waitFor()
    expect(await axeViolations(page)).toEqual([])
  })
})

test('[W6.10] the task list stands below the work, up to date, also after a reload', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say(call('TaskCreate', { title: 'Count the herons' }))
  await page.locator('.ck-tasks').getByText('Count the herons').waitFor()
  await chat.idle()
  await using again = await world.open(`conversation=${await chat.conversation()}`)
  await again.page.locator('.ck-tasks').getByText('Count the herons').waitFor()
  expect(await again.page.locator('.ck-tasks').count()).toBe(1)
})

test('[K8] under StrictMode one conversation is created', async () => {
  await using opened = await world.open('start=eager')
  const { chat } = opened
  await expect.poll(() => chat.conversation()).not.toBe('')
  await chat.say('only one')
  await chat.answer('You said')
  const made = await opened.page.evaluate(() => (window as unknown as Log).test.conversations)
  expect(new Set(made).size).toBe(1)
})

test('[K20.5] a page loaded in the middle of a run can stop it, and shows what comes', async () => {
  await using first = await world.open()
  await first.chat.say('hello')
  await first.chat.answer('You said')
  await first.chat.idle()
  await first.chat.say('very slow, and reloaded')
  await first.page.getByText('word3', { exact: false }).waitFor()
  await using second = await world.open(`conversation=${await first.chat.conversation()}`)
  await second.page.getByRole('button', { name: 'Stop' }).click()
  await first.chat.idle()
  await second.chat.idle()
  expect(await first.page.locator('.ck-message').last().textContent()).not.toContain('word3999')
})

test('[W7.10] an action for the page reaches every page that shows the session, and none from history', async () => {
  await using first = await world.open()
  await first.chat.say('hello')
  await first.chat.answer('You said')
  const id = await first.chat.conversation()
  await using second = await world.open(`conversation=${id}`)
  await second.chat.answer('You said')
  const action = { action: 'map.highlight', payload: { cityIds: ['ningbo'] } }
  await first.chat.idle()
  await first.chat.say(call('Bash', { command: `echo '${JSON.stringify({ ok: true, _meta: { bridge: action } })}'` }))
  const bridged = (page: typeof first.page) => page.evaluate(() => (window as unknown as Log).test.bridged)
  for (const { page, chat } of [first, second]) {
    await chat.answer('Done: ')
    await expect.poll(() => bridged(page)).toEqual([['map.highlight', { cityIds: ['ningbo'] }]])
  }
  await using third = await world.open(`conversation=${id}`)
  await third.chat.answer('Done: ')
  await third.chat.say('and on')
  await third.chat.answer('and on')
  expect(await bridged(third.page)).toEqual([])
})

/** One red pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
