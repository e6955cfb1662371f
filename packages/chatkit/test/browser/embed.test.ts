/** The script tag on a site, against a real server: what survives a reload, who sees what, and what is said when it fails. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failureWords } from '../../src/adapters/parley/failure-words.ts'
import { PATIENCE_MS } from './open-browser.ts'
import { KEY, openSite, type Site, STRANGER } from './open-site.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site?.[Symbol.asyncDispose]())
beforeEach(() => {
  site.tokens.asked.length = 0
  site.tokens.route = () => ({ body: { token: KEY } })
})

const reasons = failureWords('en')
const launcher = (page: Page) => page.locator('parley-launcher .launcher')
const box = (page: Page) => page.locator('.ck-composer-text')
const isOpen = (page: Page) => page.locator('parley-launcher dialog').evaluate((panel: HTMLDialogElement) => panel.open)
const atRest = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor({ timeout: PATIENCE_MS })
const said = (page: Page, text: string) => page.locator('.ck-md', { hasText: text }).last().waitFor()
const failure = (page: Page) => page.locator('.ck-error').last().innerText()

async function ask(page: Page, text: string): Promise<void> {
  if (!(await isOpen(page))) await launcher(page).click()
  await box(page).fill(text)
  await box(page).press('Enter')
}

describe('[K8] what survives', () => {
  test('navigation to another page of the site keeps the panel open, the conversation and the draft, and moves no focus', async () => {
    await using visit = await site.visit('ann')
    const { page, warnings, errors } = await visit.open('/')
    await ask(page, 'hello')
    await said(page, 'You said hello')
    await atRest(page)
    await box(page).fill('half a thought')
    await page.locator('#next').click()
    await page.waitForURL('**/other*')
    await said(page, 'You said hello')
    expect(await box(page).inputValue()).toBe('half a thought')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('true')
    await launcher(page).click()
    await page.reload()
    await launcher(page).waitFor()
    expect(await isOpen(page)).toBe(false)
    expect([warnings, errors, visit.foreign]).toEqual([[], [], []])
  })

  test('a reload in the middle of an answer goes on where it was', async () => {
    await using visit = await site.visit('ann')
    const { page } = await visit.open('/')
    await ask(page, 'slow please')
    await said(page, 'word5')
    await page.reload()
    await said(page, 'word5')
    await page.getByRole('button', { name: 'Stop answering' }).waitFor()
    expect(await page.locator('.ck-md').last().textContent()).not.toContain('word99')
    await said(page, 'word99')
    await atRest(page)
    expect(await page.locator('.ck-message').count()).toBe(2)
    expect(await page.locator('.ck-banner').count()).toBe(0)
    await ask(page, 'and then')
    await said(page, 'You said and then')
  })

  test('two tabs of a visitor have a conversation each', async () => {
    await using visit = await site.visit('ann')
    const tabs = [await visit.open('/'), await visit.open('/')]
    for (const [index, { page }] of tabs.entries()) {
      await ask(page, `tab ${index}`)
      await said(page, `You said tab ${index}`)
      await atRest(page)
    }
    for (const [index, { page }] of tabs.entries()) {
      await page.reload()
      await said(page, `You said tab ${index}`)
      expect(await page.locator('.ck-message').count()).toBe(2)
    }
  })

  test('a conversation that was deleted meanwhile gives way to a fresh one, without a banner', async () => {
    await using visit = await site.visit('ann')
    const { page, warnings } = await visit.open('/')
    await ask(page, 'hello')
    await said(page, 'You said hello')
    await atRest(page)
    const id = await page.evaluate(() =>
      Object.values(sessionStorage)
        .map((text) => /"conversationID":"(.*?)"/.exec(String(text))?.[1])
        .find(Boolean),
    )
    expect((await site.api(`/api/sessions/${id}`, { method: 'DELETE' })).ok).toBe(true)
    await page.reload()
    await page.locator('.ck-prologue').waitFor()
    expect(await page.locator('.ck-banner, .ck-error').count()).toBe(0)
    await ask(page, 'hello again')
    await said(page, 'You said hello again')
    expect(warnings).toEqual([])
  })

  test('data-remember="off" keeps nothing', async () => {
    await using visit = await site.visit('ann')
    const { page } = await visit.open('/', { 'token-url': '/chat-token', remember: 'off' })
    await ask(page, 'hello')
    await said(page, 'You said hello')
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([])
  })

  test('[K10.10] what is kept holds no token', async () => {
    await using visit = await site.visit('ann')
    const { page } = await visit.open('/')
    await ask(page, 'hello')
    await said(page, 'You said hello')
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(kept).toContain('conversationID')
    expect(kept).not.toContain(KEY)
  })
})

describe('[D7] two visitors', () => {
  /** What the site's own server does: a token for whoever is signed in there, with its key. */
  const tokenFor = async (subject: string, expires_in = 600) => {
    const made = await site.api('/api/auth/tokens', { method: 'POST', body: JSON.stringify({ subject, expires_in }) })
    expect(made.status).toBeLessThan(300)
    return (await made.json()) as { token: string; expires_at: string }
  }

  test('neither sees the other’s conversation; whoever comes next at the same tab begins afresh', async () => {
    const tokens = { ann: await tokenFor('ann'), ben: await tokenFor('ben') }
    site.tokens.route = (visitor) => ({ body: tokens[visitor as 'ann' | 'ben'] })
    await using ann = await site.visit('ann')
    await using ben = await site.visit('ben')
    const { page } = await ann.open('/')
    await ask(page, 'I am Ann')
    await said(page, 'You said I am Ann')
    await atRest(page)
    await box(page).fill('Ann’s secret draft')
    const { page: other } = await ben.open('/')
    await launcher(other).click()
    await other.getByRole('button', { name: 'History' }).click()
    await other.getByText('No conversations yet').waitFor()
    await ann.context.addCookies([{ name: 'visitor', value: 'ben', url: site.url }])
    await page.reload()
    await page.locator('.ck-onboarding').waitFor()
    await atRest(page)
    expect(await page.getByText('I am Ann').count()).toBe(0)
    expect(await box(page).inputValue()).toBe('')
    expect(await page.locator('.ck-banner, .ck-error').count()).toBe(0)
    await ask(page, 'I am Ben')
    await said(page, 'You said I am Ben')
  })

  test('[K14] a visitor whose consent does not count is told who decides; the account approves, and the answer goes on', async () => {
    const token = await tokenFor('ann')
    site.tokens.route = () => ({ body: token })
    await using visit = await site.visit('ann')
    const { page } = await visit.open('/')
    await ask(page, JSON.stringify({ name: 'Write', arguments: { file_path: 'note.txt', content: 'hers' } }))
    const card = page.locator('.ck-confirmation')
    await page.getByRole('group', { name: 'Waiting for the team to approve' }).waitFor()
    // Nothing on the page says that it is up to the visitor.
    const log = page.getByRole('log')
    await log.getByText('waiting for an answer').waitFor()
    expect(await log.innerText()).not.toMatch(/please confirm|waiting for you/i)
    expect(await card.getByRole('button', { name: /Approve|Reject|Edit/ }).count()).toBe(0)
    const { items } = (await (await site.api('/api/confirmations?status=pending')).json()) as {
      items: { id: string }[]
    }
    const decision = { method: 'POST', body: JSON.stringify({ decision: 'approve' }) }
    expect((await site.api(`/api/confirmations/${items[0]!.id}`, decision)).status).toBe(200)
    await page.getByRole('group', { name: 'Approved' }).waitFor()
    await said(page, 'Done:')
    expect(await log.innerText()).not.toMatch(/please confirm/i)
  })

  test('[K18] a visitor is told of a provider’s refusal in plain words, the account in the provider’s', async () => {
    const token = await tokenFor('ann')
    site.tokens.route = () => ({ body: token })
    await using visit = await site.visit('ann')
    const { page } = await visit.open('/')
    await ask(page, 'refuse this')
    await page.locator('.ck-error').waitFor()
    await atRest(page)
    expect(await failure(page)).not.toContain('No credit left')
    expect(await failure(page)).toMatch(/\w+ \w+ \w+/)
  })
})

describe('[K10] tokens from the site’s own server', () => {
  test('are asked for with the visitor’s sign-in, when the panel is first opened and not before', async () => {
    await using visit = await site.visit('ann')
    const { page } = await visit.open('/')
    await launcher(page).waitFor()
    expect(site.tokens.asked).toEqual([])
    await ask(page, 'hello')
    await said(page, 'You said hello')
    expect(site.tokens.asked).toEqual(['ann'])
  })

  test('are asked for again when one is refused', async () => {
    await using visit = await site.visit('ann')
    const answers = ['expired-token-that-the-server-does-not-know', KEY]
    site.tokens.route = () => ({ body: answers.shift() ?? KEY })
    const { page, warnings } = await visit.open('/')
    await ask(page, 'hello')
    await said(page, 'You said hello')
    expect(site.tokens.asked).toHaveLength(2)
    expect(warnings).toEqual([])
  })

  test('are replaced shortly before they end', async () => {
    await using visit = await site.visit('ann')
    site.tokens.route = () => ({ body: { token: KEY, expires_in: 1 } })
    const { page } = await visit.open('/')
    await ask(page, 'hello')
    await expect.poll(() => site.tokens.asked.length, { timeout: 20_000 }).toBeGreaterThan(1)
  })
})

describe('[K18] what is said when it does not work', () => {
  test('a wrong key', async () => {
    await using visit = await site.visit('ann')
    const { page, warnings } = await visit.open('/', { token: 'sk-wrong' })
    await ask(page, 'hello')
    await page.locator('.ck-error').waitFor()
    expect(await failure(page)).toContain(reasons.token_refused)
    expect(warnings.join()).toContain(`${site.parley} does not accept the token`)
  })

  test('a token that was accepted and no longer is', async () => {
    await using visit = await site.visit('ann')
    const made = await site.api('/api/user/api-keys', { method: 'POST', body: JSON.stringify({ name: 'short' }) })
    const { key, plaintext } = (await made.json()) as { key: { id: string }; plaintext: string }
    site.tokens.route = () => ({ body: plaintext })
    const { page, warnings } = await visit.open('/')
    await ask(page, 'hello')
    await said(page, 'You said hello')
    await atRest(page)
    expect((await site.api(`/api/user/api-keys/${key.id}`, { method: 'DELETE' })).ok).toBe(true)
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.locator('.ck-banner').waitFor()
    expect(await failure(page)).toContain(reasons.token_expired)
    expect(warnings.join()).toContain('no longer accepts the token')
  })

  test('no token at all', async () => {
    await using visit = await site.visit('ann')
    const { page, warnings } = await visit.open('/', { title: 'Help' })
    await ask(page, 'hello')
    await page.locator('.ck-error').waitFor()
    expect(await failure(page)).toContain(reasons.no_token)
    expect(warnings.filter((text) => text.includes('has no token') && text.includes('data-token-url'))).toHaveLength(1)
  })

  test('a token route that fails', async () => {
    await using visit = await site.visit('ann')
    site.tokens.route = () => ({ status: 500, body: 'no' })
    const { page, warnings } = await visit.open('/')
    await ask(page, 'hello')
    await page.locator('.ck-error').waitFor()
    expect(await failure(page)).toContain(reasons.token_refused)
    expect(warnings.join()).toContain('/chat-token answered with status 500')
  })

  test('a page of an origin that the server does not know', async () => {
    await using visit = await site.visit('ann')
    const { page, warnings } = await visit.open('/', { token: KEY }, STRANGER)
    await ask(page, 'hello')
    await page.locator('.ck-error').waitFor()
    expect(await failure(page)).toContain(reasons.origin_refused)
    expect(warnings.join()).toContain(`PARLEY_ALLOWED_ORIGINS=${STRANGER}`)
  })

  test('a server that is not there', async () => {
    await using visit = await site.visit('ann')
    const { page, warnings } = await visit.open('/', { token: KEY, server: 'http://127.0.0.1:9' })
    await ask(page, 'hello')
    await page.locator('.ck-error').waitFor()
    expect(await failure(page)).toContain(reasons.unreachable)
    expect(warnings.join()).toContain('http://127.0.0.1:9 cannot be reached')
  })

  test('[W10.9] a provider that refuses is told in the server’s sentence, once, also after a reload', async () => {
    await using visit = await site.visit('ann')
    const { page } = await visit.open('/')
    await ask(page, 'refuse this')
    await page.locator('.ck-error').waitFor()
    await atRest(page)
    expect(await failure(page)).toContain('No credit left.')
    expect(await failure(page)).toContain('llm_error')
    await page.reload()
    await page.locator('.ck-error').waitFor()
    expect(await failure(page)).toContain('No credit left.')
    expect(await page.locator('.ck-error').count()).toBe(1)
  })

  test('that somebody still answers is no longer said once the answer is there', async () => {
    await using visit = await site.visit('ann')
    const { page } = await visit.open('/')
    await ask(page, 'slow please')
    await said(page, 'word1')
    await box(page).fill('too early')
    await box(page).press('Enter')
    await page.locator('.ck-hint[data-error]').waitFor()
    await said(page, 'word99')
    await atRest(page)
    await page.locator('.ck-hint[data-error]').waitFor({ state: 'detached' })
    expect(await box(page).inputValue()).toBe('too early')
  })
})
