import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { followReadme } from './follow-readme.ts'
import { PATIENCE_MS } from './open-browser.ts'

// What a newcomer gets who copies the commands of an example's README: the development server, not the built page.

const shots = join(import.meta.dirname, '../../../../.test-shots/examples')
beforeAll(() => mkdir(shots, { recursive: true }))

const chat = (page: Page) => page.locator('.ck-root').first()

async function ask(page: Page): Promise<void> {
  await chat(page).locator('.ck-composer-text').fill('Hello')
  await chat(page).locator('.ck-composer-text').press('Enter')
  await chat(page).locator('.ck-md').last().waitFor()
  await chat(page)
    .getByRole('button', { name: /^(?:Send|发送)$/ })
    .waitFor()
}

const EXAMPLES: [string, (page: Page) => Promise<void>][] = [
  ['react-app', ask],
  ['vue-app', ask],
  ['coze-and-dify', ask],
  [
    'plain-html',
    async (page) => {
      await page.locator('parley-launcher .launcher').click()
      await ask(page)
    },
  ],
]

const WIDTHS = [420, 1200]

test.each(EXAMPLES)(
  '%s: started as its README says it answers, and looks finished, wide and narrow, light and dark',
  { timeout: 4 * PATIENCE_MS },
  async (name, talk) => {
    await using example = await followReadme(name)
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await example.open({ colorScheme, viewport: { width: 1200, height: 800 } })
      const { page, problems } = opened
      await page.screenshot({ path: join(shots, `${name}-${colorScheme}-before.png`) })
      await talk(page)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        await page.screenshot({ path: join(shots, `${name}-${colorScheme}-${width}.png`) })
        expect(await page.evaluate(() => document.documentElement.scrollWidth), 'nothing sticks out').toBe(width)
        expect(await page.evaluate(isStyled), 'no control is left as the browser draws it').toEqual([])
        expect(await axeViolations(page)).toEqual([])
      }
      expect(problems).toEqual([])
    }
  },
)

/** Runs in the page: its own buttons that have the browser's border. */
function isStyled(): string[] {
  return [...document.querySelectorAll('button')]
    .filter((button) => getComputedStyle(button).borderStyle === 'outset')
    .map((button) => button.textContent)
}
