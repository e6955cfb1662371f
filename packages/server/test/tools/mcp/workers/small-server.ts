/** An MCP server over stdio, protocol by hand. Its tools misbehave on request. */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

type Message = { id?: number | string; method?: string; params?: Params }
type Params = Record<string, unknown>

/**
 * First argument: a file with the description of `greet`; beside it, `.hints` may hold its annotations. Second: a file
 * that gets what the client cancelled.
 */
const [descriptionFile = '', cancelledFile = ''] = process.argv.slice(2)

const anything = { type: 'object' }
const greeting = { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] }

function tools() {
  return [
    { name: 'greet', description: readFileSync(descriptionFile, 'utf8'), inputSchema: greeting, ...hints() },
    { name: 'announce', description: 'Says that the tools have changed.', inputSchema: anything },
    { name: 'look', description: 'Looks.', inputSchema: anything, annotations: { readOnlyHint: true } },
    { name: 'wipe', description: 'Wipes.', inputSchema: anything, annotations: { destructiveHint: true } },
    { name: 'hang', description: 'Never answers.', inputSchema: anything },
    { name: 'environment', description: 'Its variables.', inputSchema: anything },
    { name: 'start child', description: 'Starts a process that stays.', inputSchema: anything },
    { name: 'card', description: 'Structured, with a card.', inputSchema: anything },
    { name: 'large card', description: 'A card of a length, beside a text of a length.', inputSchema: anything },
    { name: 'flood', description: 'A thousand reports at once.', inputSchema: anything },
    { name: 'fail', description: 'Fails.', inputSchema: anything },
    { name: 'long', description: 'A long text.', inputSchema: anything },
  ]
}

function hints() {
  const file = `${descriptionFile}.hints`
  return existsSync(file) ? { annotations: JSON.parse(readFileSync(file, 'utf8')) as object } : {}
}

function call(id: number | string, { name, arguments: input, _meta }: Params): void {
  const say = (text: string) => answer(id, { content: [{ type: 'text', text }] })
  switch (name) {
    case 'greet':
      return say(`Hello, ${(input as { who: string }).who}`)
    case 'announce':
      send({ method: 'notifications/tools/list_changed' })
      return say('announced')
    case 'hang':
      return
    case 'environment':
      return say(JSON.stringify(process.env))
    case 'start child':
      return say(String(spawn('sleep', ['300'], { stdio: 'ignore' }).pid))
    case 'card':
      return answer(id, {
        content: [{ type: 'text', text: '{"total":3}' }],
        structuredContent: { total: 3 },
        _meta: { ui: { resourceHTML: '<b>3</b>' }, 'example.org/trace': 'x' },
      })
    case 'large card': {
      const { card, text } = input as { card: number; text: number }
      const ui = { resourceHTML: `<b>${'c'.repeat(card)}</b>` }
      return answer(id, { content: [{ type: 'text', text: 't'.repeat(text) }], _meta: { ui } })
    }
    case 'flood':
      for (let progress = 1; progress <= 1000; progress++)
        send({
          method: 'notifications/progress',
          params: { progressToken: (_meta as { progressToken: number }).progressToken, progress, total: 1000 },
        })
      return say('flooded')
    case 'fail':
      return answer(id, { content: [{ type: 'text', text: 'no such row' }], isError: true })
    case 'long':
      return say('x'.repeat(1_000_000))
    default:
      return send({ id, error: { code: -32602, message: `unknown tool ${String(name)}` } })
  }
}

function answer(id: number | string, result: object): void {
  send({ id, result })
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

process.stdout.write('a greeting that is not JSON\n')
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line) as Message
  if (method === 'notifications/cancelled') appendFileSync(cancelledFile, `${String(params['requestId'])}\n`)
  if (id === undefined) continue
  if (method === 'initialize')
    answer(id, {
      protocolVersion: params['protocolVersion'],
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'small', version: '1' },
    })
  else if (method === 'tools/list') answer(id, { tools: tools() })
  else if (method === 'tools/call') call(id, params)
  else if (method === 'ping') answer(id, {})
  else send({ id, error: { code: -32601, message: 'method not found' } })
}
