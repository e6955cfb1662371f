/** Everything that waits for a person, decided in a real browser against a real server. */
import type { Inbox } from '@parley/protocol/rest'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Approvals, command, EDIT, NGINX, openApprovals, rowOf, statusOf, takesKeys } from './open-approvals.ts'
import { type Look, looksWrong, shoot } from './open-console.ts'

let world: Approvals
beforeAll(async () => {
  world = await openApprovals()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const button = (page: Page, name: RegExp) => page.locator('footer').getByRole('button', { name })
const APPROVE = /^(Approve|同意)/

/** Nothing of an earlier test waits any more. */
async function clear(): Promise<void> {
  const { items } = await world.api<Inbox>('GET', '/api/inbox')
  for (const item of items) if (item.kind !== 'tool') await world.api('DELETE', `/api/sessions/${item.session_id}`)
}

test.each<Look>(['light-zh', 'dark-en', 'light-en', 'dark-zh'])(
  '[G5.2] what waits, in its sizes (%s)',
  async (look) => {
    await clear()
    const done = await world.wish(command('A push', 'git push origin main'))
    await world.api('POST', `/api/confirmations/${done.id}`, { decision: 'reject', reason: 'not on a Friday' })
    const written = await world.wish({
      title: 'Daily report',
      call: { name: 'Write', arguments: { file_path: 'notes/2026-11-15.md', content: '# Report\n' } },
    })
    await world.api('POST', `/api/confirmations/${written.id}`, { decision: 'approve' })
    const deploy = await world.wish(command('Release 2.4 to staging', './deploy.sh staging --tag v2.4.0 --migrate'))
    const edit = await world.wish(EDIT, { files: { 'deploy/nginx.conf': NGINX } })
    const questions = [
      {
        question: 'Which currency do the lists without a symbol use?',
        header: 'Currency',
        options: [{ label: 'CNY', description: 'as most of them' }, { label: 'USD' }],
        multiSelect: false,
      },
    ]
    const asked = await world.wish({
      title: 'Import lists',
      call: { name: 'AskUserQuestion', arguments: { questions } },
    })
    for (const [size, viewport] of Object.entries(SIZES)) {
      await using opened = await world.open(`/approvals/${edit.id}`, { look, ...viewport })
      const { page, problems } = opened
      await page.locator('tr[data-row="added"]').first().waitFor()
      expect(await page.locator('tr[data-row="added"]').count()).toBe(6)
      expect(await page.locator('tr[data-row="removed"]').count()).toBe(2)
      expect(await looksWrong(page)).toEqual([])
      await shoot(page, `approvals-${look}-${size}`)
      await page.goto(`${world.url}/approvals/${deploy.id}`)
      await page.locator('main code').getByText('--migrate').waitFor()
      const run = page.getByRole('link', { name: /^(Open run|查看运行)$/ })
      expect(await run.getAttribute('href')).toMatch(new RegExp(`^/s/${deploy.session_id}/runs/.+`))
      expect(await looksWrong(page)).toEqual([])
      await shoot(page, `approvals-command-${look}-${size}`)
      await page.goto(`${world.url}/approvals/${asked.id}`)
      await page.getByText('CNY').waitFor()
      expect(await looksWrong(page)).toEqual([])
      await shoot(page, `approvals-question-${look}-${size}`)
      await page.goto(`${world.url}/approvals`)
      await rowOf(page, edit.id).waitFor()
      expect(await looksWrong(page)).toEqual([])
      if (size === 'phone') await shoot(page, `approvals-list-${look}`)
      await page.goto(`${world.url}/approvals/${written.id}?tab=decided`)
      await page
        .locator('main')
        .getByText(/approved this at|已在/)
        .waitFor()
      expect(await looksWrong(page)).toEqual([])
      await shoot(page, `approvals-decided-${look}-${size}`)
      expect(problems).toEqual([])
    }
  },
)

test('[G5.2] keys alone: j and k move, a approves and goes on to the next, o opens the session', async () => {
  await clear()
  const first = await world.wish(command('One', 'echo one'))
  const second = await world.wish(command('Two', 'echo two'))
  const third = await world.wish(command('Three', 'echo three'))
  await using opened = await world.open('/approvals')
  const { page, problems } = opened
  const current = () => page.locator('a[data-item][aria-current]').getAttribute('data-item')
  await rowOf(page, third.id).waitFor()
  await expect.poll(() => page.title()).toBe('(3) Parley')
  await expect.poll(() => page.locator('[data-rail="approvals"]').innerText()).toContain('3')
  expect(await current()).toBe(first.id)
  await page.keyboard.press('j')
  await expect.poll(current).toBe(second.id)
  await page.keyboard.press('k')
  await expect.poll(current).toBe(first.id)
  await page.keyboard.press('j')
  await expect.poll(current).toBe(second.id)
  await takesKeys(page)
  await page.keyboard.press('a')
  await expect.poll(() => statusOf(world, second.id)).toBe('approved')
  await expect.poll(current).toBe(third.id)
  // A key that is held down was meant for the one before.
  await takesKeys(page)
  await page.evaluate(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'a', code: 'KeyA', repeat: true })))
  expect(await statusOf(world, third.id)).toBe('pending')
  expect(await statusOf(world, first.id)).toBe('pending')
  await expect.poll(() => page.title()).toMatch(/^\([12]\) Parley$/)
  await rowOf(page, second.id)
    .getByText(/approved/)
    .waitFor()
  await page.keyboard.press('k')
  await page.keyboard.press('o')
  await page.waitForURL(/\/s\/sess_/)
  expect(problems).toEqual([])
})

test('[G5.2] a rejection takes a reason; letters and half a pinyin word decide nothing', async () => {
  await clear()
  const { id, session_id } = await world.wish(command('Push it', 'git push'))
  await using opened = await world.open(`/approvals/${id}`)
  const { page } = opened
  await button(page, APPROVE).waitFor()
  await takesKeys(page)
  await page.keyboard.press('r')
  const field = page.getByLabel(/Why, if you like/)
  await field.waitFor()
  const keyboard = await page.context().newCDPSession(page)
  await keyboard.send('Input.imeSetComposition', { text: 'a', selectionStart: 1, selectionEnd: 1 })
  await keyboard.send('Input.dispatchKeyEvent', {
    type: 'keyDown',
    key: 'Enter',
    code: 'Enter',
    windowsVirtualKeyCode: 229,
  })
  await keyboard.send('Input.dispatchKeyEvent', {
    type: 'keyUp',
    key: 'Enter',
    code: 'Enter',
    windowsVirtualKeyCode: 229,
  })
  expect(await statusOf(world, id)).toBe('pending')
  await keyboard.send('Input.insertText', { text: '啊，先跑测试' })
  expect(await field.inputValue()).toBe('啊，先跑测试')
  expect(await statusOf(world, id)).toBe('pending')
  await field.press('Enter')
  await expect.poll(() => statusOf(world, id)).toBe('rejected')
  const turns = await world.api<object[]>('GET', `/api/sessions/${session_id}/messages`)
  expect(JSON.stringify(turns)).toContain('rejected by the user: 啊，先跑测试')
})

test('[G5.2] edit first: what changed is shown, what is refused says why, what stands there runs', async () => {
  await clear()
  const { id } = await world.wish(command('Count', 'echo one'))
  await using opened = await world.open(`/approvals/${id}`)
  const { page } = opened
  await button(page, APPROVE).waitFor()
  await takesKeys(page)
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('command').fill('echo two')
  await dialog.locator('tr[data-row="added"]', { hasText: 'echo two' }).waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'approvals-edit')
  await dialog.getByRole('button', { name: 'Edit as JSON' }).click()
  await dialog.getByLabel('All arguments as JSON').fill('{"command": 7}')
  await dialog.getByRole('button', { name: 'Approve the changed call' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await statusOf(world, id)).toBe('pending')
  await dialog.getByLabel('All arguments as JSON').fill('{"command": "echo two"}')
  await dialog.getByRole('button', { name: 'Approve the changed call' }).click()
  await expect.poll(() => statusOf(world, id)).toBe('approved')
  await page.goto(`${world.url}/approvals/${id}`)
  await page.getByText('What ran instead').waitFor()
  await page.locator('main pre', { hasText: 'two' }).last().waitFor()
})

test('[G5.2] who is too late is told who decided, and when; the card is no error', async () => {
  await clear()
  const { id } = await world.wish(command('Race', 'echo race'))
  await using one = await world.open(`/approvals/${id}`)
  await using two = await world.open(`/approvals/${id}`)
  await Promise.all([one, two].map(({ page }) => button(page, APPROVE).waitFor()))
  await Promise.all([one, two].map(({ page }) => takesKeys(page)))
  await Promise.all([one.page.keyboard.press('a'), two.page.keyboard.press('a')])
  await expect.poll(() => statusOf(world, id)).toBe('approved')
  for (const { page } of [one, two]) {
    await page.goto(`${world.url}/approvals/${id}`)
    await page.getByText(/^You approved this at \d\d:\d\d\.$/).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  }
  const elsewhere = await world.wish(command('Elsewhere', 'echo elsewhere'))
  await one.page.goto(`${world.url}/approvals/${elsewhere.id}`)
  await button(one.page, APPROVE).waitFor()
  await world.api('POST', `/api/confirmations/${elsewhere.id}`, { decision: 'reject' })
  await one.page.getByText(/^You rejected this at/).waitFor()
  expect(await button(one.page, APPROVE).count()).toBe(0)
})

test('[G5.2] what is hidden in a call is shown by its number', async () => {
  await clear()
  const { id } = await world.wish(command('Hidden', 'echo safe\u202E; \u200Brm -r build'))
  await using opened = await world.open(`/approvals/${id}`)
  const { page } = opened
  await page.getByText('It has hidden characters.').waitFor()
  await page.locator('code').getByText('U+202E').waitFor()
  await page.locator('code').getByText('U+200B').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'approvals-hidden')
})

test('[G5.2] several of one tool are decided together, each with an outcome of its own', async () => {
  await clear()
  const note = (at: number) => ({
    title: `Note ${at}`,
    call: { name: 'Write', arguments: { file_path: `notes/${at}.md`, content: `${at}\n` } },
  })
  const ids = [await world.wish(note(1)), await world.wish(note(2))].map(({ id }) => id)
  const other = await world.wish({ ...EDIT, title: 'Another edit' }, { files: { 'deploy/nginx.conf': NGINX } })
  await using opened = await world.open('/approvals')
  const { page } = opened
  await rowOf(page, other.id).waitFor()
  expect(await page.getByRole('checkbox').count()).toBe(2)
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'approvals-several')
  await page.getByRole('button', { name: 'Approve 2' }).click()
  for (const id of ids) await expect.poll(() => statusOf(world, id)).toBe('approved')
  expect(await statusOf(world, other.id)).toBe('pending')
  await page.getByText('2 decided.').waitFor()
})

test('[G5.2] a rule is made of a call, with how often it would have counted', async () => {
  await clear()
  const { id } = await world.wish(command('Status', 'git status'))
  await using opened = await world.open(`/approvals/${id}`)
  const { page } = opened
  await page.getByText('Your policy, rule 2: Bash with command git * needs consent.').waitFor()
  await page.getByRole('button', { name: 'Make a rule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('command').fill('git *')
  await dialog.getByText(/^\d+ of your last \d+ calls look like this\.$/).waitFor()
  await expect.poll(() => dialog.getByRole('status').innerText()).not.toMatch(/^0 of/)
  expect(await dialog.locator('pre').innerText()).toBe(
    `{ tool: "Bash", arguments: {"command":"git *"}, decision: 'allow' },`,
  )
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'approvals-rule')
})

test('[G5.2] a question is answered here, and its run goes on', async () => {
  await clear()
  const questions = [
    { question: 'Which?', options: [{ label: 'staging' }, { label: 'production' }], multiSelect: false },
  ]
  const asked = await world.wish({ title: 'Where to', call: { name: 'AskUserQuestion', arguments: { questions } } })
  await using opened = await world.open(`/approvals/${asked.id}`)
  const { page } = opened
  await page.getByLabel('production').check()
  await page.getByRole('button', { name: 'Answer' }).click()
  await expect
    .poll(async () => (await world.api<{ status: string }>('GET', `/api/sessions/${asked.session_id}`)).status)
    .toBe('completed')
  const turns = await world.api<object[]>('GET', `/api/sessions/${asked.session_id}/messages`)
  expect(JSON.stringify(turns)).toContain('production')
})

test('[G5.2] nothing waits, the list cannot be read, the line is cut: each says so', async () => {
  await clear()
  for (const look of ['light-en', 'dark-zh'] satisfies Look[]) {
    await using empty = await world.open('/approvals', { look })
    await empty.page
      .locator('main')
      .getByText(/^(Nothing waits for you\.|没有需要你处理的事。)$/)
      .waitFor()
    expect(await looksWrong(empty.page)).toEqual([])
    await shoot(empty.page, `approvals-empty-${look}`)
    await using broken = await world.open('/embed', { look })
    await broken.page.route('**/api/inbox**', (route) => route.fulfill({ status: 500, body: '{"detail":"broken"}' }))
    await broken.page.goto(`${world.url}/approvals`)
    await broken.page.locator('main').getByRole('alert').waitFor()
    expect(await looksWrong(broken.page)).toEqual([])
    await shoot(broken.page, `approvals-error-${look}`)
  }
  const { id } = await world.wish(command('Cut', 'echo cut'))
  await using opened = await world.open('/embed')
  const { page } = opened
  let isCut = false
  const cuts: (() => void)[] = []
  await page.routeWebSocket(/socket\.io/, (socket) => {
    if (isCut) return void socket.close()
    socket.connectToServer()
    cuts.push(() => void socket.close())
  })
  await page.goto(`${world.url}/approvals/${id}`)
  await button(page, APPROVE).waitFor()
  isCut = true
  await page.route('**/socket.io/**', (route) => route.abort())
  for (const cut of cuts) cut()
  await page.getByText('No connection. Deciding waits until the server answers.').waitFor()
  await page.keyboard.press('a')
  expect(await button(page, APPROVE).getAttribute('aria-disabled')).toBe('true')
  expect(await statusOf(world, id)).toBe('pending')
  await shoot(page, 'approvals-offline')
  isCut = false
  await page.unroute('**/socket.io/**')
  await page.getByText(/^Open until/).waitFor()
})
