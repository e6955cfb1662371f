import { ok as isTrue } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchChromium, PATIENCE_MS } from '../../packages/chatkit/test/browser/open-browser.ts'
import type { Site } from './follow-readme.ts'
import { openTerminal } from './terminal.ts'

/** Opens the sign-in link, as somebody who clicks on it, and is known afterwards. */
export async function signIn(link: string): Promise<void> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const answer = await page.goto(link)
    isTrue(answer?.ok(), `the sign-in link answers HTTP ${answer?.status()}`)
    const me = await page.context().request.get(new URL('/api/auth/me', link).href)
    isTrue(me.ok(), `signed in, and yet HTTP ${me.status()}`)
  } finally {
    await browser.close()
  }
}

/** The page with the chat, served as the second command of its README says. The server must allow its origin. */
export async function talkOnThePage(command: string, site: Site): Promise<void> {
  const key = (await readFile(join(site.directory, '.parley/owner.key'), 'utf8')).trim()
  await using terminal = openTerminal(command.replace('PARLEY_KEY=…', `PARLEY_KEY=${key}`), site)
  const [, url] = await terminal.shows(/Open (http:\/\/[\d.:]+)/)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(url!)
    await page.locator('parley-launcher .launcher').click()
    await page.locator('.ck-composer-text').fill('Hello')
    await page.locator('.ck-composer-text').press('Enter')
    await page.locator('.ck-md', { hasText: 'PARLEY_MODEL_URL' }).waitFor()
  } finally {
    await browser.close()
  }
}
