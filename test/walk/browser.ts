import { ok as isTrue } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium, PATIENCE_MS } from '../../packages/chatkit/test/browser/open-browser.ts'
import type { Readme, Site } from './follow-readme.ts'
import { openTerminal } from './terminal.ts'

/** Opens the sign-in link, as somebody who clicks on it, and takes the first steps: a talk, a tool, an approval. */
export function takeFirstSteps(link: string): Promise<void> {
  return inPage(link, async (page) => {
    const me = await page.context().request.get(new URL('/api/auth/me', link).href)
    isTrue(me.ok(), `signed in, and yet HTTP ${me.status()}`)
    const composer = page.locator('.ck-composer-text')
    await composer.waitFor()
    await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('.ck-composer-text')?.value)
    await composer.press('Enter')
    await tryStep(page, 'Watch a tool run')
    await tryStep(page, 'Approve something')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Put the chat on your page').waitFor()
    await page.getByRole('link', { name: 'Sessions', exact: true }).click()
    for (const done of ['talk', 'tool', 'approve'])
      await page.locator(`li[data-step=${done}][data-done=true]`).waitFor()
  })
}

/** The next of the first steps, once it is offered. */
async function tryStep(page: Page, name: string): Promise<void> {
  await page.getByText(name).waitFor()
  await page.getByRole('button', { name: 'Try it', exact: true }).first().click()
}

/** The ten lines of the README, saved and run as it says: the page talks. */
export async function talkOnOwnPage({ page }: Readme, site: Site): Promise<void> {
  await writeFile(join(site.directory, 'page.mjs'), page)
  await using terminal = openTerminal('node page.mjs', site)
  const [url] = await terminal.shows(/http:\/\/[\d.:]+/)
  await talkInPanel(url)
}

/** The page of the example, served as the second command of its README says. The server must allow its origin. */
export async function talkOnThePage(command: string, site: Site): Promise<void> {
  const key = (await readFile(join(site.directory, '.parley/owner.key'), 'utf8')).trim()
  await using terminal = openTerminal(command.replace('PARLEY_KEY=…', `PARLEY_KEY=${key}`), site)
  const [, url] = await terminal.shows(/Open (http:\/\/[\d.:]+)/)
  await talkInPanel(url!)
}

function talkInPanel(url: string): Promise<void> {
  return inPage(url, async (page) => {
    await page.locator('parley-launcher .launcher').click()
    await page.locator('.ck-composer-text').fill('Hello')
    await page.locator('.ck-composer-text').press('Enter')
    await page.locator('.ck-md', { hasText: 'PARLEY_MODEL_URL' }).waitFor()
  })
}

async function inPage(url: string, use: (page: Page) => Promise<void>): Promise<void> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ locale: 'en-US' })
    page.setDefaultTimeout(PATIENCE_MS)
    const answer = await page.goto(url)
    isTrue(answer?.ok(), `${new URL(url).origin} answers HTTP ${answer?.status()}`)
    await use(page)
  } finally {
    await browser.close()
  }
}
