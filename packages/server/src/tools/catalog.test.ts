import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolCatalog } from './catalog.ts'
import { defineTool } from './define-tool.ts'

const named = (name: string, description: string) =>
  defineTool({
    ...{ name, description, provider: 'builtin', display_name: { zh: name, en: name } },
    input: z.object({}),
    run: async () => description,
  })

test('[W12.11.1] a session never has two tools of one name, also while two sources have not heard of each other', () => {
  const source = (description: string) => ({
    of: () => [named('same', description)],
    refresh: async () => undefined,
    listed: async () => [],
  })
  const catalog = new ToolCatalog([[named('fixed', 'ours')], source('in a backend'), source('of a skill')])
  const tools = catalog.of({ session_id: 'sess_1', agent: null })
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['fixed', 'ours'],
    ['same', 'in a backend'],
  ])
})
