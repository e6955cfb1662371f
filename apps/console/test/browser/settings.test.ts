/** Settings, in a real browser against a real server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Console, LOOKS, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  world = await openConsole({
    options: {
      models: [
        {
          id: 'closed',
          provider: 'openai-compatible',
          url: 'http://127.0.0.1:9/v1',
          model: 'm',
          apiKey: 'sk-not-shown-anywhere',
        },
      ],
      policy: {
        rules: [
          { tool: 'Bash', arguments: { command: 'git *' }, decision: 'allow' },
          { tool: 'Bash', decision: 'ask' },
        ],
        headless: 'deny',
        confirmationMinutes: 15,
      },
    },
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const SECTIONS = ['appearance', 'models', 'policy', 'keys', 'server'] as const

test.each(
  LOOKS.flatMap((look) => [
    { look, width: 1440, height: 900 },
    { look, width: 390, height: 844 },
  ]),
)('[G5.10] every section from its bare address ($look, $width px)', async ({ look, width, height }) => {
  await world.api('POST', '/api/user/api-keys/', { name: `shop server ${look} ${width}` })
  await using opened = await world.open('/settings/appearance', { look, width, height })
  const { page, problems } = opened
  for (const section of SECTIONS) {
    await page.goto(`${world.url}/settings/${section}`)
    await page.locator(`a[href="/settings/${section}"][aria-current=page]`).locator('visible=true').first().waitFor()
    await page.locator('main dl, main table, main fieldset, main ul').first().waitFor()
    expect([section, ...(await looksWrong(page))]).toEqual([section])
    await shoot(page, `settings-${section}-${look}-${width}`)
  }
  expect(problems).toEqual([])
})

test('[G5.10] a key is named, shown once, copied, kept nowhere, and revoked after one question', async () => {
  await using opened = await world.open('/settings/keys')
  const { page } = opened
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('laptop')
  await page.keyboard.press('Enter')
  const key = page.locator('code[data-key]')
  await key.waitFor()
  await page.getByText('Copy the key now. It is not shown again.').waitFor()
  const plaintext = await key.innerText()
  await page.keyboard.press('Escape')
  expect(await key.count(), 'it is left only by saying that it is kept').toBe(1)
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'settings-new-key')
  await page.getByRole('button', { name: 'Copy' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(plaintext)
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.locator('tr', { hasText: 'laptop' }).waitFor()
  expect(await page.content()).not.toContain(plaintext)
  const ask = () => fetch(`${world.url}/api/auth/me`, { headers: { authorization: `Bearer ${plaintext}` } })
  expect((await ask()).status).toBe(200)

  await page.getByRole('button', { name: 'Revoke laptop' }).click()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await page.locator('tr', { hasText: 'laptop' }).waitFor({ state: 'detached' })
  expect((await ask()).status).toBe(401)
})

test('[G5.10] a model is tested step by step, with its time and the cause', async () => {
  await using opened = await world.open('/settings/models')
  const { page } = opened
  await page.getByText('from PARLEY_MODEL_URL').waitFor()
  await page.getByRole('button', { name: 'Test fake-model' }).click()
  await page.getByText('It works.').waitFor()
  await page.getByText('First token').waitFor()
  await page.getByRole('button', { name: 'Test closed' }).click()
  await page.getByText('It does not work yet.').waitFor()
  await page.getByText(/ECONNREFUSED/).waitFor()
  expect(await page.content()).not.toContain('sk-not-shown-anywhere')
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'settings-model-test')

  await page.getByText('Add a model').click()
  await page.getByLabel('Address').fill('http://169.254.169.254/v1')
  await page.getByRole('button', { name: 'Test this address' }).click()
  await page.getByText(/not on the public internet/).waitFor()
})

test('[G5.10] rules are read and tried, and can be copied as configuration', async () => {
  await using opened = await world.open('/settings/policy')
  const { page } = opened
  await page.locator('tr', { hasText: 'git *' }).waitFor()
  await page.locator('option[value=Bash]').waitFor({ state: 'attached' })
  await page.getByLabel('Arguments, as JSON').fill('{"command": "git status"}')
  await page.getByRole('button', { name: 'What happens?' }).click()
  await page.getByText('Rule 1: it runs.').waitFor()
  await page.getByLabel('Arguments, as JSON').fill('{"command": ')
  await page.getByText('This is no JSON object.').waitFor()
  await page.getByRole('button', { name: 'Copy' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('"tool": "Bash"')
})

test('[G5.10] language and theme count at once, and stay', async () => {
  await using opened = await world.open('/settings/appearance')
  const { page } = opened
  await page.getByLabel('Dark').check()
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  await page.getByLabel('中文').check()
  await page.getByText('跟随系统').waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN')
  await page.getByLabel('单字母快捷键').uncheck()
  await page.locator('body').press('j')
  await page.reload()
  expect(await page.getByLabel('单字母快捷键').isChecked()).toBe(false)
})

test('[G5] a member reads what there is, and is offered nothing that is the owner’s', async () => {
  const { url } = await world.api<{ url: string }>('POST', '/api/users', { username: 'mia' })
  await using opened = await world.open('/settings/policy', { link: url })
  const { page } = opened
  await page.locator('tr', { hasText: 'git *' }).waitFor()
  expect(await page.getByRole('button', { name: 'What happens?' }).count()).toBe(0)
  await page.goto(`${world.url}/settings/models`)
  await page.getByText('Only the owner can test or add models.').waitFor()
  expect(await page.getByRole('button', { name: /^Test/ }).count()).toBe(0)
  await page.goto(`${world.url}/settings/server`)
  await page.getByText('Version').waitFor()
  expect(await page.getByRole('heading', { name: 'Instances' }).count()).toBe(0)
  await page.goto(`${world.url}/settings/keys`)
  await page.getByText('No keys yet.').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'settings-keys-empty')
})
