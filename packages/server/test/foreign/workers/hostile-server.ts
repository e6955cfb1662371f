/** An MCP server over stdio whose schemas, and answers, are hostile. The first argument says which list it offers. */
import { createInterface } from 'node:readline'
import { HOSTILE } from '../hostile-schemas.ts'

const [list = 'schemas'] = process.argv.slice(2)
const anything = { type: 'object' }
const hostile = Object.values(HOSTILE)
const deep = '['.repeat(6_000) + ']'.repeat(6_000)

const LISTS: Record<string, () => string> = {
  schemas: () =>
    JSON.stringify([
      ...hostile.map(({ schema }, index) => ({ name: `in${index}`, description: 'x', inputSchema: schema })),
      ...hostile.map(({ schema }, index) => ({
        name: `out${index}`,
        description: 'x',
        inputSchema: anything,
        outputSchema: schema,
      })),
      { name: 'deep', description: 'Answers deep.', inputSchema: anything },
      { name: 'deepMeta', description: 'Answers with a deep card.', inputSchema: anything },
      { name: 'huge', description: 'x'.repeat(300 * 1024), inputSchema: anything },
    ]),
  deep: () => `[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"enum":[${deep}]}}}}]`,
}

const TEXT = '"content":[{"type":"text","text":"ok"}]'

function answerOf(name: string): string {
  if (name === 'deep') return `{${TEXT},"structuredContent":{"x":${deep}}}`
  if (name === 'deepMeta') return `{${TEXT},"_meta":{"ui":${deep}}}`
  const value = name.startsWith('out') ? hostile[Number(name.slice(3))]!.value : undefined
  return value === undefined ? `{${TEXT}}` : `{${TEXT},"structuredContent":${JSON.stringify(value)}}`
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: Record<string, unknown> }
  if (id === undefined) continue
  const say = (result: string) =>
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`)
  if (method === 'initialize')
    say(
      JSON.stringify({
        protocolVersion: params?.['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '1' },
      }),
    )
  else if (method === 'tools/list') say(`{"tools":${LISTS[list]!()}}`)
  else if (method === 'tools/call') say(answerOf(params!['name'] as string))
  else say('{}')
}
