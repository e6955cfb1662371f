/** An MCP server over stdio that means no good: schemas that never end, results that are too deep, too long, too many. */
import { createInterface } from 'node:readline'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const EVIL = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } }
const NAMES = ['deep', 'long', 'wide', 'meta', 'flood', 'pattern']
const RESULTS: Record<string, () => string> = {
  deep: () => `{"content":${nested(50_000)}}`,
  long: () => JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] }),
  wide: () => JSON.stringify({ content: Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'x' })) }),
  meta: () => `{"content":[{"type":"text","text":"x"}],"_meta":{"bridge":{"action":"x","payload":${nested(5_000)}}}}`,
  flood: () => '{"content":[]}',
  pattern: () => JSON.stringify({ content: [{ type: 'text', text: 'ok' }] }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as {
    id?: number
    method: string
    params?: { name: string; protocolVersion: string }
  }
  if (id === undefined) return
  const reply = (result: string) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`)
  if (method === 'initialize')
    return reply(
      JSON.stringify({
        protocolVersion: params!.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '1' },
      }),
    )
  if (method === 'tools/list')
    return reply(JSON.stringify({ tools: NAMES.map((name) => ({ name, inputSchema: EVIL })) }))
  if (method !== 'tools/call') return reply('{}')
  if (params!.name === 'flood') {
    const notice = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n'
    process.stdout.write(notice.repeat(50_000))
  }
  return reply(RESULTS[params!.name]?.() ?? '{"content":[]}')
})
