import { deepEqual } from 'node:assert/strict'
import { readFile, watch, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFakeModel } from '@parley/testkit'
import { launchChromium } from '../../packages/chatkit/test/browser/open-browser.ts'
import { openTerminal, type Terminal } from '../walk/terminal.ts'
import { config, type Ports, shop } from './product.ts'
import type { Stopwatch } from './steps.ts'

export type Story = {
  stopwatch: Stopwatch
  directory: string
  env: NodeJS.ProcessEnv
  ports: Ports
  /** Starts the server. */
  command: string
  /** A first start may have to bring packages. */
  withinMs: number
}

const QUESTION = 'Please refund order 7'
const ANSWER = `Order 7 is paid back. ${'The money will be with you within three days. '.repeat(10)}Good bye.`
const PATIENCE_MS = 90_000

/**
 * A tool of one's own, called for one's own signed-in user, approved in one's own page, once, through a crash. The model is
 * a stand-in on a real port: it calls the tool, and says how it went, a word at a time.
 */
export async function tellStory({ stopwatch, directory, env, ports, command, withinMs }: Story): Promise<void> {
  const { step } = stopwatch
  await using model = await startFakeModel(({ results }) =>
    results.length === 0
      ? { calls: [{ name: 'refund', arguments: { order: '7' } }] }
      : { text: ANSWER, chunkDelayMs: 50 },
  )
  const place = { directory, env: { ...env, PARLEY_MODEL_URL: model.url, PARLEY_MODEL: 'fake-model' } }
  const files = { 'parley.config.ts': config(ports), 'shop.mjs': shop(ports) }
  await step('write one tool, the page and its sign-in', async () => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
    return { keys: Object.values(files).join('').length }
  })

  await using server = openTerminal(command, place)
  await step(`\`${command}\` listens`, async () => {
    await listening(server, withinMs)
    return { keys: command.length + 1 }
  })

  await using site = openTerminal('node shop.mjs', place)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await step('the page has the chat, for the visitor who is signed in', async () => {
      await site.shows(/The shop is open/)
      await page.goto(`http://127.0.0.1:${ports.shop}/`)
      await page.locator('parley-launcher .launcher').click()
      await page.locator('.ck-composer-text').waitFor()
      return { clicks: 1, keys: 'node shop.mjs\n'.length + `127.0.0.1:${ports.shop}\n`.length }
    })
    await step('asked; the visitor is asked for consent', async () => {
      await page.locator('.ck-composer-text').fill(QUESTION)
      await page.locator('.ck-composer-text').press('Enter')
      await page.getByRole('button', { name: 'Approve' }).waitFor()
      deepEqual(await refunds(ports), [], 'the tool ran before anybody consented')
      return { keys: QUESTION.length + 1 }
    })
    await step('approved; the tool has run, the answer begins', async () => {
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.locator('.ck-md', { hasText: 'Order 7 is paid back' }).waitFor()
      deepEqual(await refunds(ports), ['customer-42 7'])
      return { clicks: 1 }
    })
    deepEqual(await page.getByText('Good bye.').count(), 0, 'the answer has ended before anybody killed the server')
    await step('`kill -9` in the middle of it; the server is back', async () => {
      const pid = await serverOf(directory)
      const back = anotherServer(directory, pid)
      process.kill(pid, 'SIGKILL')
      await back
      return { keys: `kill -9 ${pid}\n`.length }
    })
    await step('the answer goes on in the same page, to its end', async () => {
      await page.locator('.ck-md', { hasText: 'Good bye.' }).waitFor()
      deepEqual(await refunds(ports), ['customer-42 7'], 'the tool did not run exactly once')
      return {}
    })
  } finally {
    await browser.close()
  }
}

/** Resolves once another process is the server of this directory. */
async function anotherServer(directory: string, pid: number): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for await (const _ of watch(join(directory, '.parley'), { signal }))
    // It may be looked at while it is written.
    if ((await serverOf(directory).catch(() => pid)) !== pid) return
}

/** The process id of the server whose data lie in this directory. */
async function serverOf(directory: string): Promise<number> {
  const said = await readFile(join(directory, '.parley/server.json'), 'utf8')
  return (JSON.parse(said) as { pid: number }).pid
}

async function listening(server: Terminal, withinMs: number): Promise<void> {
  await server.shows(/listening on http|is listening|http:\/\/\S+code=/i, withinMs)
}

async function refunds({ shop: port }: Ports): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/refunds`)
  return ((await answer.json()) as { refunds: string[] }).refunds
}
