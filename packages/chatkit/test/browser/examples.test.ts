import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { openViteExample } from './open-vite-example.ts'

// The examples, built and served as their READMEs say. Behind React and Vue stands a real server with the demo model.

const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(() => mkdir(shots, { recursive: true }))

test(
  'react-app: the selection goes along as context, and the agent highlights on the map',
  { timeout: 60_000 },
  async () => {
    await using example = await openViteExample('react-app')
    await using opened = await example.open()
    const { page, problems, foreign } = opened
    const box = page.locator('.ck-composer-text')
    await page.getByRole('button', { name: /Wenzhou/ }).click()
    await page.locator('.ck-context', { hasText: 'Wenzhou' }).waitFor()
    await box.fill('Highlight this city on the map')
    await box.press('Enter')
    // Only the context names the city.
    await page.locator('.city[data-highlighted=true]', { hasText: 'Wenzhou' }).waitFor()
    await page.locator('.ck-md', { hasText: 'map.highlight' }).waitFor()
    expect(await page.locator('.ck-message-context').first().textContent()).toContain('Wenzhou')
    expect(await page.locator('.city[data-highlighted=true]').count()).toBe(1)
    expect(await axeViolations(page)).toEqual([])
    await page.screenshot({ path: join(shots, 'example-react.png') })
    expect([problems, foreign]).toEqual([[], []])
  },
)

test(
  'vue-app: the element takes properties, gives events, and answers to its methods',
  { timeout: 60_000 },
  async () => {
    await using example = await openViteExample('vue-app')
    await using opened = await example.open()
    const { page, problems, foreign } = opened
    await page.locator('.ck-composer-text').waitFor()
    await page.getByRole('button', { name: 'A-1002' }).click()
    await page.locator('.ck-message', { hasText: 'What about A-1002?' }).first().waitFor()
    await page.getByRole('button', { name: /^(?:Send|发送)$/ }).waitFor()
    await page.locator('.ck-composer-text').fill('Highlight Ningbo on the map')
    await page.keyboard.press('Enter')
    await page.locator('.highlighted', { hasText: 'ningbo' }).waitFor()
    await page.locator('.theme').click()
    await page.locator('.ck-root[data-theme=dark]').waitFor()
    await page.screenshot({ path: join(shots, 'example-vue.png') })
    expect([problems, foreign]).toEqual([[], []])
  },
)

test('coze-and-dify: both chats answer; the refused token is refreshed once', async () => {
  await using example = await openViteExample('coze-and-dify', { hasServer: false })
  await using opened = await example.open()
  const { page, problems, foreign } = opened
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  const [coze, dify] = [page.locator('.ck-root').first(), page.locator('.ck-root').last()]
  await coze.getByRole('button', { name: '水几度结冰？' }).click()
  await coze.locator('.ck-md table').waitFor()
  await coze.getByRole('button', { name: '为什么要撒盐？' }).waitFor()
  // [K17.3] The page says lang="zh-CN", and so do the names.
  expect(await coze.locator('.ck-author').allTextContents()).toEqual([
    expect.stringMatching(/^用户/),
    expect.stringMatching(/^AI 助手/),
  ])
  await dify.getByRole('button', { name: 'When does the tide turn?' }).click()
  await dify.locator('.ck-md', { hasText: 'turns at six' }).waitFor()
  await dify.getByText('tides.pdf').first().waitFor()
  await dify.getByRole('button', { name: 'And tomorrow?' }).waitFor()
  expect(asked.filter((line) => line === 'POST /token').length).toBeLessThanOrEqual(1)
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'example-coze-dify.png') })
  expect([problems, foreign]).toEqual([[], []])
})
