/** The page behind a link, from a real server, for somebody without an account. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CreatedShare } from '@parley/protocol/rest'
import { expect, test } from 'vitest'
import { World } from '../../../server/test/wire/world.ts'
import { axeViolations } from './axe.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'
import { keepInside, problemsOf } from './watch-page.ts'

const shots = join(import.meta.dirname, '../../../../.test-shots/share-page')

const ANSWER = `Here it is:

\`\`\`sh
echo "a line of code that is much longer than a narrow screen has room for, and then some more"
\`\`\`

<script>window.__pwned = 1</script><img src="https://evil.example/x.png" onerror="window.__pwned = 1">`

test('[W12.5] a shared conversation is read in Chromium, in both languages, with nothing loaded and no script run', async () => {
  await mkdir(shots, { recursive: true })
  await using world = await World.open('sqlite')
  world.learn({ 'show me': [{ calls: [{ name: 'Bash', arguments: { command: 'ls -l' } }] }, { text: ANSWER }] })
  const session_id = await world.newSession({ intent: 'Listing a folder' })
  await using chat = await world.chat({ session_id })
  await chat.run('show me')
  const { body: share } = await world.rest<CreatedShare>('POST', `/api/sessions/${session_id}/share`, { body: {} })
  const browser = await launchChromium()
  try {
    for (const [name, options] of [
      ['light-en', { locale: 'en-US', colorScheme: 'light', viewport: { width: 1100, height: 800 } }],
      ['dark-zh', { locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 380, height: 800 } }],
    ] as const) {
      await using context = await browser.newContext(options)
      const foreign = await keepInside(context, [world.url])
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      const problems = problemsOf(page)
      await page.goto(share.url)
      await page.getByRole('heading', { level: 1, name: 'Listing a folder' }).waitFor()
      const who = name.endsWith('en') ? ['User', 'Assistant', 'Assistant'] : ['用户', '助手', '助手']
      const heads = await page.getByRole('heading', { level: 2 }).allInnerTexts()
      expect(heads.map((text) => text.split(' ')[0])).toEqual(who)
      await page.locator('summary').click()
      await page.getByText('ran ls -l').waitFor()
      expect(await page.locator('pre code').innerText()).toContain('echo "a line of code')
      expect(await page.getByText('<script>window.__pwned').isVisible()).toBe(true)
      expect(await page.evaluate(() => window.__pwned)).toBeUndefined()
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      expect(await axeViolations(page)).toEqual([])
      await page.screenshot({ path: join(shots, `${name}.png`) })
      expect([foreign, problems]).toEqual([[], []])
    }
    await world.rest('PATCH', `/api/sessions/${session_id}/sharing`, { body: { shared: false } })
    const page = await browser.newPage({ locale: 'zh-CN' })
    await page.goto(share.url)
    await page.getByRole('heading', { name: '链接无法使用' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  } finally {
    await browser.close()
  }
})
