import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { findProblems } from './find-problems.ts'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'
import { outsideOf } from './outside-of.ts'

let browser: TestBrowser
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  browser = await openBrowser()
  await mkdir(shots, { recursive: true })
})
afterAll(() => browser[Symbol.asyncDispose]())

const LOOKS = ['light', 'dark'].flatMap((theme) => ['en', 'zh-CN'].map((locale) => [theme, locale] as const))

describe('[K14] steps of an answer', () => {
  test('[K14] steps of several messages of one answer stand on one rail, each with its argument and duration', async () => {
    await using opened = await browser.open('scene=work&mode=assistant')
    const { page } = opened
    await settled(page)
    const rows = page.locator('.ck-rail').first().locator('.ck-row-button')
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^Read file\s+CHANGELOG\.md\s+0\.02 s$/),
      expect.stringMatching(/^Search files\s+ALTER TABLE in migrations\/\s+0\.04 s$/),
      expect.stringMatching(/^Run command\s+npm run migrate -- --dry-run\s+running$/),
    ])
    expect(await page.locator('.ck-rail').count()).toBe(1)
    expect(
      await page
        .locator('.ck-rail .ck-row-button')
        .evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().height))),
    ).toEqual([28, 28, 28])
  })

  test('[K14] three or more that are done fold; a failed one is open, one under way and one that waits are rows', async () => {
    await using opened = await browser.open('scene=rail&mode=assistant')
    const { page } = opened
    await settled(page)
    const rail = page.locator('.ck-rail').first()
    const rows = rail.locator(':scope > * > .ck-row-button')
    expect(await rows.allInnerTexts()).toEqual([
      // Thoughts are on the rail, but no step of their own.
      '4 steps · 4.3 s',
      expect.stringMatching(/^Run command\s+npm run seed -- --all\s+failed 2\.8 s$/),
      expect.stringMatching(/^Sub-agent\s+compare the two schemas$/),
      expect.stringMatching(/^Run command\s+\.\/verify\.sh --deep\s+running$/),
      expect.stringMatching(/^Send a mail\s+ops\s+waiting for an answer$/),
    ])
    expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-expanded')))).toEqual([
      'false',
      'true',
      'false',
      'false',
      'false',
    ])
    await page.getByText('relation "orders" does not exist').waitFor()
    await rows.first().click()
    expect(await page.locator('.ck-steps .ck-rail .ck-row-button').count()).toBe(5)
    await rows.nth(2).click()
    // Its own rail, folded as any.
    await page.locator('.ck-sub-agent .ck-steps').getByText('3 steps').waitFor()
  })

  test('[K17.1] Up and Down pass over messages whose steps stand with those before them', async () => {
    await using opened = await browser.open('scene=rail&mode=assistant')
    const { page } = opened
    await settled(page)
    await page.locator('.ck-list').focus()
    const roles: (string | null)[] = []
    for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp']) {
      await page.keyboard.press(key)
      roles.push(await page.evaluate(() => document.activeElement!.getAttribute('data-role')))
    }
    expect(roles).toEqual(['User', 'Assistant', 'Assistant', 'Assistant', 'User'])
  })

  test('[K14] a step that is opened stays open while others come', async () => {
    await using opened = await browser.open('mode=assistant')
    const { page } = opened
    void page.evaluate(() => window.test.kit.send('go'))
    const step = (id: string, status: 'pending' | 'done') =>
      page.evaluate(
        ([key, state]) =>
          window.test.push({
            op: 'block',
            block: { type: 'Tool', key: key!, content: { name: 'f', title: `Step ${key}`, input: key, status: state } },
          } as never),
        [id, status],
      )
    await step('a', 'done')
    await page.getByRole('button', { name: /Step a/ }).click()
    await page.locator('.ck-code').waitFor()
    await step('b', 'pending')
    await page.getByRole('button', { name: /Step b/ }).waitFor()
    expect(await page.locator('.ck-code').count()).toBe(1)
    await page.evaluate(() => window.test.finish())
  })
})

describe('[K14] consent', () => {
  test('[K14] a command of 5 000 characters is seen whole on a phone, and no word is broken that fits a line', async () => {
    await using opened = await browser.open('scene=consent&mode=assistant', { viewport: { width: 390, height: 844 } })
    const { page } = opened
    await settled(page)
    const call = page.locator('.ck-call').first()
    const { text, broken, isCut } = await call.evaluate((element) => {
      const width = element.clientWidth
      const broken = [...element.querySelectorAll('.ck-word')].filter((word) => {
        const lines = new Set([...word.getClientRects()].map(({ top }) => top))
        const range = document.createRange()
        range.selectNodeContents(word)
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        return (lines.size > 1 || tops.size > 1) && word.getBoundingClientRect().width < width * 0.8
      })
      return {
        text: element.textContent,
        broken: broken.map((word) => word.textContent),
        isCut: element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1,
      }
    })
    expect(text).toMatch(/^docker run --rm[^]*&& echo the-very-end$/)
    expect(text.length).toBeGreaterThanOrEqual(5000)
    expect([broken, isCut]).toEqual([[], false])
    expect(await page.evaluate(outsideOf)).toEqual([])
    // The buttons are below all of it.
    const [end, button] = await Promise.all([
      call.evaluate((element) => element.getBoundingClientRect().bottom),
      page.getByRole('button', { name: 'Approve' }).evaluate((element) => element.getBoundingClientRect().top),
    ])
    expect(button).toBeGreaterThan(end)
    // What is no part of the command stands below it, once.
    expect(await page.locator('.ck-arguments-list dt').allTextContents()).toEqual(['timeout_ms'])
    await page.getByRole('button', { name: 'Approve' }).scrollIntoViewIfNeeded()
    await page.screenshot({ path: join(shots, 'consent-390.png') })
  })

  test('[K14] what cannot be seen, or turns the order of what is seen, is named', async () => {
    await using opened = await browser.open('scene=hidden&mode=assistant')
    const { page } = opened
    await settled(page)
    expect(await page.locator('.ck-unseen').allTextContents()).toEqual(['U+202E', 'U+200B'])
    expect(await page.locator('.ck-call').textContent()).toBe('rm -rf ./buildU+202E/codU+200B.sh')
  })

  test.each(['edit', 'write'])(
    '[K14] %s: the lines that change, with signs, numbers where they are known, no argument twice',
    async (scene) => {
      await using opened = await browser.open(`scene=${scene}&mode=assistant`)
      const { page } = opened
      await settled(page)
      await page
        .getByRole('group', { name: scene === 'edit' ? 'Edit deploy/nginx.conf' : 'Write deploy/nginx.conf' })
        .waitFor()
      expect(await page.locator('.ck-diff-head').innerText()).toMatch(/deploy\/nginx\.conf\s*\+6\s*−2/)
      const lines = await page.locator('.ck-diff-line').evaluateAll((all) => all.map(({ textContent }) => textContent))
      expect(lines.slice(2, 5)).toEqual(
        scene === 'edit'
          ? ['−    client_max_body_size 10m;\n', '−    proxy_read_timeout 30s;\n', '+    client_max_body_size 64m;\n']
          : [
              '3−    client_max_body_size 10m;\n',
              '4−    proxy_read_timeout 30s;\n',
              '3+    client_max_body_size 64m;\n',
            ],
      )
      expect(await page.locator('.ck-arguments-list, .ck-json, .ck-call').count()).toBe(0)
    },
  )

  test('[K14] other tools: arguments by name and in full, JSON on demand; why, what then, and what if nobody decides', async () => {
    await using opened = await browser.open('scene=listed&mode=assistant')
    const { page } = opened
    await settled(page)
    const card = page.getByRole('group', { name: 'Send a mail' })
    expect(await card.locator('.ck-arguments-list > div').allInnerTexts()).toEqual([
      expect.stringMatching(/^to\s+ops@example\.org$/),
      expect.stringMatching(/^subject\s+Release 2\.4$/),
      expect.stringMatching(/^body\s+It is out\.\nNothing had to stop\.$/),
      expect.stringMatching(/^copies\s+\[/),
    ])
    expect(await card.locator('.ck-json pre').isVisible()).toBe(false)
    await card.getByText('Show as JSON').click()
    await card.locator('.ck-json').getByText('"subject":').waitFor()
    expect(await card.locator('.ck-facts').innerText()).toMatch(
      /Why you are asked\s+Your policy, rule 3: ops\.run needs consent\.\s+If you approve\s+Exactly this runs, once\.\s+If nobody decides\s+It never runs\. Open until \d\d:\d\d, 12 min left\./,
    )
    expect(await card.getByRole('button').allTextContents()).toEqual(['Approve', 'Reject', 'Edit first'])
  })

  test('[K14] in Chinese it is agreed to or rejected, never cancelled', async () => {
    await using opened = await browser.open('scene=listed&mode=assistant&locale=zh-CN')
    const { page } = opened
    await settled(page)
    expect(await page.locator('.ck-confirmation').getByRole('button').allTextContents()).toEqual([
      '同意',
      '拒绝',
      '先修改',
    ])
    expect(await page.locator('.ck-facts').innerText()).toMatch(
      /同意之后\s+只执行上面这一条，只执行一次。\s+无人处理\s+不会执行。/,
    )
  })

  test('[K14] a decision counts when the back end has taken it: until then the card says that it is sent', async () => {
    await using opened = await browser.open('scene=listed&mode=assistant')
    const { page } = opened
    await settled(page)
    const card = page.locator('.ck-confirmation')
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByText('Sending…').waitFor()
    expect(await card.getByText('Approved').count()).toBe(0)
    expect(await card.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true)
    await page.evaluate(() => window.test.push({ op: 'text', key: 't', text: 'On it.' }))
    await card.getByText('Approved').waitFor()
    expect(await card.getByRole('button').count()).toBe(0)
    await page.evaluate(() => window.test.finish())
  })

  test('[K14] a decision that came too late says who decided, and is no failure', async () => {
    await using opened = await browser.open('scene=listed&mode=assistant&late', { timezoneId: 'UTC' })
    const { page } = opened
    await settled(page)
    const card = page.locator('.ck-confirmation')
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByText('Mei Lin rejected this at 14:20.').waitFor()
    expect(await card.getByRole('button').count()).toBe(0)
    expect(await page.locator('.ck-error').count()).toBe(0)
    expect(await page.locator('.ck-message').count()).toBe(2)
  })

  test.each(LOOKS)('[KB8] steps and consent, %s, %s: axe finds nothing, all opened', async (theme, locale) => {
    for (const scene of ['work', 'rail', 'edit', 'listed', 'hidden']) {
      await using opened = await browser.open(`scene=${scene}&theme=${theme}&locale=${locale}&mode=assistant`)
      const { page } = opened
      await settled(page)
      for (let depth = 0; depth < 3; depth++)
        await page.evaluate(() => {
          for (const button of document.querySelectorAll<HTMLElement>('.ck-rail [aria-expanded=false]')) button.click()
          for (const details of document.querySelectorAll('details')) details.open = true
        })
      await settled(page)
      expect(await axeViolations(page), scene).toEqual([])
      expect(await page.evaluate(findProblems), scene).toEqual([])
      await page.screenshot({ path: join(shots, `${scene}-${theme}-${locale}.png`) })
    }
  })
})
