import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type SmallServer, smallServer } from '../tools/mcp/rig.ts'
import { endOf } from './chat.ts'
import { World } from './world.ts'

type Wanted = { card: number; text: number }

/** A LangChain tool, as far as anybody looks: its result is JSON text with a card in it. */
const langchainCard = {
  name: 'chain_card',
  description: 'A card.',
  schema: { type: 'object' },
  invoke: async ({ args: { card, text } }: { args: Wanted }) =>
    JSON.stringify({ text: 't'.repeat(text), _meta: { ui: { resourceHTML: `<b>${'c'.repeat(card)}</b>` } } }),
}

let small: SmallServer
let world: World
beforeAll(async () => {
  small = await smallServer()
  world = await World.open('sqlite', { mcpServers: { small: small.config }, langchainTools: [langchainCard] })
  const tools = async () => expect(JSON.stringify((await world.rest('GET', '/api/tools')).body)).toContain('large_card')
  await vi.waitFor(tools, { timeout: 20_000 })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await small[Symbol.asyncDispose]()
})

const toolNamed = async (part: string) => {
  const { body } = await world.rest<{ items: { name: string }[] }>('GET', '/api/tools')
  return body.items.find(({ name }) => name.includes(part))!.name
}
const shown = async (part: string, wanted: Wanted) => {
  const question = `${part} ${wanted.card} ${wanted.text}`
  world.learn({ [question]: [{ calls: [{ name: await toolNamed(part), arguments: wanted }] }, { text: 'ok' }] })
  await using chat = await world.chat()
  const run = await chat.run(question)
  const { blocks } = endOf(run, 1)
  const card = blocks.find(({ type }) => type === 'tool_ui')?.content as { resourceHTML: string } | undefined
  return { card: card?.resourceHTML.length, seen: world.requests(question)[1]!.results[0]! }
}

test.each(['large_card', 'chain_card'])(
  '[W7.10] a card of %s over 100 000 characters reaches the page whole, and the model sees nothing of it',
  async (part) => {
    for (const text of [5, 150_000]) {
      const { card, seen } = await shown(part, { card: 300_000, text })
      expect(card).toBe(300_007)
      expect(seen).toContain('ttttt')
      expect(seen).not.toMatch(/_meta|ccc/)
    }
  },
)

test.each(['large_card', 'chain_card'])(
  '[W7.10] a card of %s over a million characters is left out, and the result says so',
  async (part) => {
    const { card, seen } = await shown(part, { card: 1_100_000, text: 5 })
    expect(card).toBeUndefined()
    expect(seen).toMatch(/ttttt/)
    expect(seen).toMatch(/more than 1000000, and was left out/)
    expect(seen).not.toMatch(/ccc/)
  },
)
