import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { openServer, type World } from './open-server.ts'

// Other versions of messages and answers, which the server keeps: ChatKit over a real one, with a person at the keyboard.

let world: World
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  world = await openServer()
}, 60_000)
afterAll(() => world?.[Symbol.asyncDispose]())

const WORDS = {
  en: { regenerate: 'Regenerate', edit: 'Edit', save: 'Send', previous: 'Previous version', next: 'Next version' },
  'zh-CN': { regenerate: '重新回答', edit: '编辑', save: '发送', previous: '上一个版本', next: '下一个版本' },
}

function versions(page: Page, words = WORDS.en) {
  const of = (text: string) => page.locator('.ck-message[data-role=User]', { hasText: text })
  const bar = page.locator('.ck-message[data-role=Assistant]').last()
  return {
    answers: () => page.locator('.ck-message[data-role=Assistant] .ck-body').allTextContents(),
    regenerate: () => bar.getByRole('button', { name: words.regenerate }).click(),
    /** The picker below the last answer, or below the message with this text, once it says so. */
    shows: (count: string, text?: string) =>
      (text === undefined ? bar : of(text).last()).locator('.ck-branches', { hasText: count }).waitFor(),
    step: async (way: 'previous' | 'next', text?: string) => {
      const place = text === undefined ? bar : of(text).last()
      await place.hover()
      await place.locator('.ck-branches').getByRole('button', { name: words[way] }).click()
    },
    async edit(text: string, other: string) {
      await of(text).last().hover()
      await of(text).last().getByRole('button', { name: words.edit }).click()
      const box = page.locator('.ck-edit textarea')
      await box.fill(other)
      await page.locator('.ck-edit').getByRole('button', { name: words.save }).click()
    },
  }
}

test('[K12.3] [W12.1] an answer is asked for again, and the server keeps both', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  const pick = versions(page)
  await chat.ask('count one')
  await chat.ask('count two')
  const [first, old] = await pick.answers()
  await pick.regenerate()
  await pick.shows('2 / 2')
  expect(await pick.answers()).toEqual([first, expect.stringContaining('count two')])
  const [, fresh] = await pick.answers()
  expect(fresh).not.toBe(old)
  expect(await page.locator('.ck-message[data-role=User]').count()).toBe(2)
  await pick.step('previous')
  await pick.shows('1 / 2')
  expect(await pick.answers()).toEqual([first, old])
  await pick.step('next')
  await pick.shows('2 / 2')
  expect(await pick.answers()).toEqual([first, fresh])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'branches-en.png') })

  // What is said next goes on from the version that is shown.
  await pick.step('previous')
  await pick.shows('1 / 2')
  await chat.ask('count three')
  const stored = await world.text(`/api/sessions/${await chat.conversation()}/messages`)
  expect(stored).toContain(old!.split(' to')[0])
  expect(stored).not.toContain(fresh!.split(' to')[0])

  // A reload brings them all back.
  await using again = await world.open(`conversation=${await chat.conversation()}`)
  await again.page.locator('.ck-branches', { hasText: '1 / 2' }).waitFor()
  expect((await versions(again.page).answers()).slice(0, 2)).toEqual([first, old])
  expect([await chat.problems(), await again.chat.problems()]).toEqual([[], []])
})

test('[K12.2] [K12.3] an edited message is a version of its own, in Chinese, in the dark, on a narrow screen', async () => {
  await using opened = await world.open('locale=zh-CN&theme=dark', { viewport: { width: 390, height: 760 } })
  const { page, chat } = opened
  const pick = versions(page, WORDS['zh-CN'])
  await chat.ask('count 巴黎有多大')
  await chat.ask('count 里昂呢')
  await pick.edit('count 巴黎有多大', 'count 柏林有多大')
  await pick.shows('2 / 2', 'count 柏林有多大')
  await chat.idle()
  expect(await page.locator('.ck-message').count()).toBe(2)
  await page.locator('.ck-message').first().hover()
  await page.screenshot({ path: join(shots, 'branches-zh-dark-narrow.png') })
  expect(await axeViolations(page)).toEqual([])
  await pick.regenerate()
  await pick.shows('2 / 2')
  await pick.step('previous', 'count 柏林有多大')
  await page.locator('.ck-message', { hasText: '里昂' }).first().waitFor()
  await pick.shows('1 / 2', 'count 巴黎有多大')
  expect(await page.locator('.ck-message').count()).toBe(4)
  await pick.step('next', 'count 巴黎有多大')
  // The newest answer to these words.
  await pick.shows('2 / 2')
  expect(await page.locator('.ck-message').count()).toBe(2)
  expect(await chat.problems()).toEqual([])
})

test('[K12.3] two tabs show one branch: what one chooses, the other shows', async () => {
  await using one = await world.open()
  await one.chat.ask('count here')
  await using two = await world.open(`conversation=${await one.chat.conversation()}`)
  await two.chat.answer('count here')
  const [old] = await versions(one.page).answers()
  await versions(one.page).regenerate()
  for (const { page } of [one, two]) await versions(page).shows('2 / 2')
  expect(await versions(two.page).answers()).toEqual(await versions(one.page).answers())
  await versions(two.page).step('previous')
  for (const { page } of [one, two]) {
    await versions(page).shows('1 / 2')
    expect(await versions(page).answers()).toEqual([old])
  }
  // While one answers, the other neither switches nor replaces.
  await one.chat.say('slow count')
  await two.page.getByText('word3', { exact: false }).waitFor()
  expect(await two.page.locator('.ck-branches button:not(:disabled)').count()).toBe(0)
  await one.chat.idle()
  expect([await one.chat.problems(), await two.chat.problems()]).toEqual([[], []])
})

test('[K12.3] a page that is loaded in the middle of a regenerated answer shows it to its end, and both versions', async () => {
  await using one = await world.open()
  await one.chat.ask('slow please')
  const conversation = await one.chat.conversation()
  await versions(one.page).regenerate()
  await one.page.getByText('word5', { exact: false }).waitFor()
  await one.page.close()
  await using two = await world.open(`conversation=${conversation}`)
  await two.page.getByText('word6', { exact: false }).waitFor()
  expect(await two.page.locator('.ck-message').count()).toBe(2)
  await two.chat.answer('word119')
  await two.chat.idle()
  await versions(two.page).shows('2 / 2')
  await versions(two.page).step('previous')
  await versions(two.page).shows('1 / 2')
  expect(await two.page.locator('.ck-message').count()).toBe(2)
  expect(await two.chat.problems()).toEqual([])
})

test('[K12.3] an answer of several turns with a tool is one version', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.ask(JSON.stringify({ name: 'Bash', arguments: { command: 'date +%N' } }))
  await chat.answer('Done: ')
  await versions(page).regenerate()
  await versions(page).shows('2 / 2')
  expect(await page.locator('.ck-branches').count()).toBe(1)
  await versions(page).step('previous')
  await versions(page).shows('1 / 2')
  await page.screenshot({ path: join(shots, 'branches-tool.png') })
})

test('[K12.3] over agent-sse the versions are the page’s own', async () => {
  await using opened = await world.open('adapter=agent-sse')
  const { page, chat } = opened
  await chat.ask('count local')
  const [old] = await versions(page).answers()
  await versions(page).regenerate()
  await versions(page).shows('2 / 2')
  await versions(page).step('previous')
  await versions(page).shows('1 / 2')
  expect(await versions(page).answers()).toEqual([old])
})
