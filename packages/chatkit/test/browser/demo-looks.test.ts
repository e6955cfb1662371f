/** Everything the demo can show, over a real server, looked at in every width, theme and language. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCENARIOS } from '../../../server/src/models/demo/scenarios.ts'
import { axeViolations } from './axe.ts'
import { openServer, type World } from './open-server.ts'
import { outsideOf } from './outside-of.ts'

let world: World
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit/demo')
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  world = await openServer({ isDemo: true })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Shown elsewhere, or over only when a person stops it. */
const LEFT_OUT = new Set(['slow', 'survive', 'background', 'map', 'subagent_question'])
const WIDTHS = [320, 420, 900, 1200]

describe.each(['en', 'zh'] as const)('the demo, %s', (language) => {
  const locale = language === 'zh' ? 'zh-CN' : 'en'
  let conversation = ''
  beforeAll(async () => {
    await using opened = await world.open(`locale=${locale}`)
    const { chat, page } = opened
    for (const { id, prompt } of SCENARIOS) {
      if (LEFT_OUT.has(id)) continue
      if (id === 'plan') await page.getByRole('button', { name: /^(?:Plan first|先做计划)$/ }).click()
      await chat.ask(prompt[language])
    }
    conversation = await chat.conversation()
  }, 180_000)

  test.each(WIDTHS.flatMap((width) => ['light', 'dark'].map((theme) => [width, theme] as const)))(
    '[K17.1] fits %d px, %s, and axe finds nothing',
    async (width, theme) => {
      const size = { viewport: { width, height: 9000 }, hasPolicy: false }
      await using opened = await world.open(`locale=${locale}&theme=${theme}&conversation=${conversation}`, size)
      const { page } = opened
      await page.locator('.ck-chart svg text').first().waitFor()
      await page.locator('.ck-plan').first().waitFor()
      await page.screenshot({ path: join(shots, `${language}-${theme}-${width}.png`) })
      expect(await page.evaluate(outsideOf)).toEqual([])
      expect(await axeViolations(page)).toEqual([])
    },
  )
})
