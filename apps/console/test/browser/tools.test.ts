/** Tools and foreign servers, in a real browser against a real server with real MCP servers. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { smallServer, type SmallServer } from '../../../../packages/server/test/tools/mcp/rig.ts'
import { type Console, LOOKS, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
let small: SmallServer
beforeAll(async () => {
  small = await smallServer()
  world = await openConsole({
    options: {
      mcpServers: { small: small.config, search: { command: 'no-such-program-anywhere' } },
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
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await small?.[Symbol.asyncDispose]()
})

const serverRow = (page: Page, name: string) => page.locator(`li[data-server="${name}"]`)
const invite = async (username: string) => (await world.api<{ url: string }>('POST', '/api/users', { username })).url

test.each(
  LOOKS.flatMap((look) => [
    { look, width: 1440, height: 900 },
    { look, width: 390, height: 844 },
  ]),
)('[G5.7] tools, what happens to a call, and how servers are ($look, $width px)', async ({ look, width, height }) => {
  await using opened = await world.open('/tools', { look, width, height })
  const { page, problems } = opened
  const isChinese = look.endsWith('zh')
  await serverRow(page, 'small')
    .getByText(isChinese ? '就绪' : 'ready')
    .waitFor()
  await serverRow(page, 'search')
    .getByText(isChinese ? '服务器上找不到命令' : 'was not found on this server')
    .waitFor()
  await page.getByRole('link', { name: isChinese ? '执行命令' : 'Run command' }).waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, `tools-${look}-${width}`)

  await page.getByRole('link', { name: isChinese ? '执行命令' : 'Run command' }).click()
  await page.getByText(isChinese ? '由第 2 条规则决定' : 'Rule 2 decides').waitFor()
  await page.getByText(isChinese ? '第 1 条（直接执行）' : 'rule 1 (runs)').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, `tool-${look}-${width}`)

  await page.goto(`${world.url}/tools/servers/search`)
  await page.getByText(isChinese ? '安装这个程序' : 'Install the program').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, `mcp-server-${look}-${width}`)
  expect(problems).toEqual([])
})

test('[G5.7] a test says what is true, a restart asks first and has the focus on cancel', async () => {
  await using opened = await world.open('/tools')
  const { page } = opened
  await serverRow(page, 'small').getByRole('button', { name: 'Test small' }).click()
  await page.getByText(/small answered in/).waitFor()
  await serverRow(page, 'search').getByRole('button', { name: 'Try again search' }).click()
  await page.getByText('search does not answer.').waitFor()
  await serverRow(page, 'small').getByRole('button', { name: 'More for small' }).click()
  await page.getByRole('menuitem', { name: 'Restart' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
  await dialog.getByRole('button', { name: 'Restart' }).click()
  await page.getByText('small was started again.').waitFor()
})

test('[G4.3] servers and tools are reached, searched and tested without a pointer', async () => {
  await using opened = await world.open('/')
  const { page } = opened
  await page.locator('.ck-composer-text').waitFor()
  await page.locator('[data-rail=sessions]').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await serverRow(page, 'small').waitFor()
  await page.keyboard.press('j')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('small')
  await page.keyboard.press('t')
  await page.getByText(/small answered in/).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('glob')
  await page.waitForURL(/q=glob/)
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  await page.keyboard.press('Tab')
  await page.getByRole('searchbox').fill('no such tool')
  await page.getByText('No tool has this name.').waitFor()
})

test('[G5.7] a tool that has changed is shown against what was agreed to, and the owner agrees', async () => {
  await world.ask('{"name":"mcp__small__greet","arguments":{"who":"you"}}')
  await small.describe('Greets, and tells everybody.')
  await world.api('POST', '/api/mcp-servers/small/restart', {})
  await using opened = await world.open('/tools/mcp__small__greet')
  const { page } = opened
  await page.getByText('This tool has changed').waitFor()
  await page.getByText('− Greets somebody.').waitFor()
  await page.getByText('+ Greets, and tells everybody.').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'tool-changed')
  await page.getByRole('button', { name: 'Approve this version' }).click()
  await page.getByText('Approved. It can be used again.').waitFor()
  await page.getByText('This tool has changed').waitFor({ state: 'detached' })
  await page.getByText('Your last calls').waitFor()
  expect(await page.locator('a[href^="/s/"]').count()).toBeGreaterThan(0)
})

test('[G5] a member sees how servers are, and is offered nothing that is the owner’s', async () => {
  await using opened = await world.open('/tools', { link: await invite('mia') })
  const { page } = opened
  await serverRow(page, 'search').getByText('was not found on this server').waitFor()
  expect(await page.getByRole('button', { name: /^(?:Test|Try again)/ }).count()).toBe(0)
  await page.goto(`${world.url}/tools/servers/small`)
  await page.getByText('Only the owner can test or restart servers.').waitFor()
  await page.goto(`${world.url}/tools/Nothing`)
  await page.getByText('This was deleted, or it is not yours.').waitFor()
  await page.goto(`${world.url}/tools/servers/Nothing`)
  await page.getByText('This was deleted, or it is not yours.').waitFor()
})

test('[G5] what cannot be read says so in its place, and can be tried again', async () => {
  await using opened = await world.open('/')
  const { page } = opened
  await page.route('**/api/tools', (route) =>
    route.fulfill({ status: 500, json: { detail: 'no', code: 'internal_error' } }),
  )
  await page.goto(`${world.url}/tools`)
  await page.getByText('The server could not answer this.').waitFor()
  await page.unroute('**/api/tools')
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByRole('link', { name: 'Run command' }).waitFor()
})
