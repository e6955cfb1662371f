import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { openServer, type World } from './open-server.ts'

// What a newcomer does: ChatKit over a real Parley server with its demo model.

let world: World
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  world = await openServer({ isDemo: true })
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Opened = Awaited<ReturnType<World['open']>>

const thumb = (page: Page, name: 'Good answer' | 'Bad answer') => page.getByRole('button', { name }).last()
const pressed = (page: Page, name: 'Good answer' | 'Bad answer') => thumb(page, name).getAttribute('aria-pressed')

test('[K12.2] a thumb is kept by the server, shown after a reload, and taken back', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say('list the files')
  await chat.answer('workspace is empty')
  await chat.idle()
  await thumb(page, 'Good answer').click()
  await expect.poll(() => pressed(page, 'Good answer')).toBe('true')
  const id = await chat.conversation()
  const kept = async () =>
    (await world.api<{ items: { value: string }[] }>(`/api/feedback?session_id=${id}`)).items.map(({ value }) => value)
  expect(await kept()).toEqual(['like'])
  await using again = await world.open(`conversation=${id}`)
  await again.chat.answer('workspace is empty')
  await expect.poll(() => pressed(again.page, 'Good answer')).toBe('true')
  await thumb(again.page, 'Bad answer').click()
  await expect.poll(() => pressed(again.page, 'Bad answer')).toBe('true')
  expect(await pressed(again.page, 'Good answer')).toBe('false')
  expect(await kept()).toEqual(['dislike'])
  await thumb(again.page, 'Bad answer').click()
  await expect.poll(() => pressed(again.page, 'Bad answer')).toBe('false')
  expect(await kept()).toEqual([])
  expect(await axeViolations(again.page)).toEqual([])
})

test('[K12.2] questions to go on with stand below the last answer, a click sends, and they are gone', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.say('list the files')
  const next = page.getByRole('list', { name: 'Related questions' })
  await next.waitFor()
  expect(await next.getByRole('button').allTextContents()).toEqual([
    'Write a note, then read it back',
    'Call my own tool',
    'Run a command in the sandbox',
  ])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'real-suggestions.png') })
  await next.getByRole('button', { name: 'Write a note' }).click()
  await next.waitFor({ state: 'detached' })
  await page.locator('.ck-message[data-role=User]', { hasText: 'Write a note, then read it back' }).waitFor()
  await chat.answer('I wrote')
  await chat.idle()
  await next.getByRole('button', { name: 'Keep a task list' }).waitFor()
  // Kept by the server: a page that is opened later shows them, too.
  await using again = await world.open(`conversation=${await chat.conversation()}`)
  await again.page.getByRole('button', { name: 'Keep a task list' }).waitFor()
  expect(await chat.problems()).toEqual([])
})

const plans = (page: Page) => page.locator('.ck-plan')
const states = (page: Page) => plans(page).locator('.ck-state').allTextContents()

async function propose({ page, chat }: Opened): Promise<void> {
  await page.getByRole('button', { name: 'Plan first' }).click()
  await chat.say('Make a plan first')
  await chat.answer('That is my plan')
  await chat.idle()
}

test('[W10.14] a plan is carried out step by step on a click, in one card', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await propose(opened)
  await expect.poll(() => states(page)).toEqual(['waiting for you'])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'real-plan-proposed.png') })
  await page.getByRole('button', { name: 'Run the plan' }).click()
  await expect.poll(() => states(page)).toEqual(['in progress'])
  await chat.answer('All steps of the plan are done')
  await chat.idle()
  await expect.poll(() => states(page)).toEqual(['done'])
  const boxes = plans(page).locator('.ck-checklist [data-status]')
  expect(await boxes.evaluateAll((items) => items.map((item) => item.getAttribute('data-status')))).toEqual([
    'completed',
    'completed',
    'completed',
  ])
  expect(await page.getByRole('button', { name: /Run the plan|Reject/ }).count()).toBe(0)
  expect(await world.text(`/api/sessions/${await chat.conversation()}/files/demo/plan.md`)).toContain('Done')
  await page.screenshot({ path: join(shots, 'real-plan-done.png') })
  // The same after a reload.
  await using again = await world.open(`conversation=${await chat.conversation()}`)
  await again.chat.answer('All steps of the plan are done')
  await expect.poll(() => states(again.page)).toEqual(['done'])
})

test('[W10.14] writing a change replaces the plan; only the new one can be carried out', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await propose(opened)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.keyboard.type('count the words, too')
  await page.keyboard.press('Enter')
  await expect.poll(() => states(page)).toEqual(['replaced by a newer plan', 'waiting for you'])
  await chat.idle()
  expect(await plans(page).first().getByRole('button').count()).toBe(0)
  await plans(page).last().getByText('count the words, too').first().waitFor()
  await plans(page).last().getByRole('button', { name: 'Run the plan' }).click()
  await chat.answer('All steps of the plan are done')
  await chat.idle()
  await expect.poll(() => states(page)).toEqual(['replaced by a newer plan', 'done'])
})

test('[W10.14] a refused plan is marked, and nothing of it happens, also when the mode changes later', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await propose(opened)
  await page.getByRole('button', { name: 'Reject' }).click()
  await chat.answer('nothing will be done')
  await chat.idle()
  await expect.poll(() => states(page)).toEqual(['rejected'])
  expect(await page.getByRole('button', { name: /Run the plan|Reject/ }).count()).toBe(0)
  const id = await chat.conversation()
  expect(await world.api(`/api/sessions/${id}/tasks`)).toEqual([])
  expect(await world.api(`/api/sessions/${id}`)).toMatchObject({ mode: 'planning' })
  await page.getByRole('button', { name: 'Plan first' }).click()
  await chat.say('list the files')
  await chat.answer('workspace is empty')
  await chat.idle()
  await expect.poll(() => states(page)).toEqual(['rejected'])
})
