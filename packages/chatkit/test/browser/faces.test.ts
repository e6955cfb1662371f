import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { openServer, type World } from './open-server.ts'

// The same page over each protocol that the server speaks, with a person at the keyboard.

let world: World
const shots = join(import.meta.dirname, '../../../../.test-shots/faces')
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  world = await openServer()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const call = (name: string, args: object) => JSON.stringify({ name, arguments: args })

test.each(['agent-sse', 'onedragon'])('[K20.5] over %s an answer streams in, and a tool is a row', async (adapter) => {
  await using opened = await world.open(`adapter=${adapter}`)
  const { page, chat, foreign } = opened
  await chat.say('slow please')
  await page.getByText('word3', { exact: false }).waitFor()
  expect(await page.locator('.ck-message').last().textContent()).not.toContain('word119')
  await chat.answer('word119')
  await chat.idle()
  await chat.say(call('Bash', { command: 'echo from the sandbox' }))
  await chat.answer('Done: ')
  await chat.idle()
  await page.locator('.ck-row-button').first().click()
  await page.locator('.ck-tool .ck-code').getByText('echo from the sandbox').first().waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, `${adapter}-tool.png`) })
  expect([foreign, await chat.problems()]).toEqual([[], []])
})

test('[K20.5] [ST3] over agent-sse a consent is given on its card, and the run goes on', async () => {
  await using opened = await world.open('adapter=agent-sse')
  const { page, chat } = opened
  await chat.say(call('Write', { file_path: 'consent.txt', content: 'yes' }))
  const yes = page.getByRole('button', { name: 'Approve', exact: true })
  await yes.waitFor()
  await page.screenshot({ path: join(shots, 'agent-sse-asks.png') })
  expect(await axeViolations(page)).toEqual([])
  await yes.click()
  await chat.answer('Done: ')
  await chat.idle()
  await page.screenshot({ path: join(shots, 'agent-sse-consented.png') })
  expect(await chat.problems()).toEqual([])
})
