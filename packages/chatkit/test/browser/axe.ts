import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The test pages are no whole pages: these rules look at what a host brings. */
const OF_THE_HOST = ['page-has-heading-one', 'landmark-one-main', 'region', 'bypass']

type Axe = { run(context: unknown, options: unknown): Promise<{ violations: Violation[] }> }
type Violation = { id: string; help: string; nodes: { target: unknown[]; failureSummary?: string }[] }

/** [KB8] What axe finds on the page; sentences, none is good. Foreign frames are not looked into. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(await source)
  const { violations } = await page.evaluate(
    ({ tags, skipped }) =>
      (window as unknown as { axe: Axe }).axe.run(document, {
        iframes: false,
        runOnly: { type: 'tag', values: tags },
        rules: Object.fromEntries(skipped.map((id) => [id, { enabled: false }])),
      }),
    { tags: TAGS, skipped: OF_THE_HOST },
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help} (${target.join(' ')}) ${failureSummary}`),
  )
}
