import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import {
  type AgentEvent as StreamEvent,
  createAgent,
  createErrorEvent,
  formatSSEEvent,
  generateEventId,
  parseSSEEvent,
  type PendingConfirmation,
  ScriptedModel,
} from '@parley/agent'
import { bossPlugin } from './boss-plugin.ts'

type Body = { message: string; sessionId: string; history?: []; pendingConfirmation?: PendingConfirmation }

/** The route of the source text, word for word but for the framework around it. */
function route(agent: ReturnType<typeof createAgent>) {
  return async (req: IncomingMessage, res: ServerResponse) => {
    const { message, sessionId, history, pendingConfirmation } = JSON.parse(await text(req)) as Body
    res.setHeader('Content-Type', 'text/event-stream')
    res.setHeader('Cache-Control', 'no-cache')
    res.setHeader('Connection', 'keep-alive')
    const onEvent = (event: StreamEvent) => {
      res.write(formatSSEEvent(event))
    }
    try {
      const response = await agent.chat(message, { sessionId, history, pendingConfirmation, onEvent })
      if (response.type === 'confirm') {
        const confirmEvent = {
          id: generateEventId(),
          type: 'confirmation_required' as const,
          timestamp: Date.now(),
          sessionId,
          data: response,
        }
        res.write(formatSSEEvent(confirmEvent))
      }
      res.end()
    } catch (error) {
      const errorEvent = createErrorEvent(
        sessionId,
        'UNKNOWN_ERROR',
        error instanceof Error ? error.message : String(error),
        false,
      )
      res.write(formatSSEEvent(errorEvent))
      res.end()
    }
  }
}

test('[S17] the source text’s own route serves a conversation with a confirmation', async () => {
  const llm = new ScriptedModel([
    { toolCalls: [{ name: 'delete_boss_config', arguments: { target: 'all' } }] },
    { content: '已成功删除' },
  ])
  const boss = bossPlugin()
  await using agent = createAgent({ llm, plugins: [boss.plugin] })
  const answer = route(agent)
  await using server = createServer((req, res) => void answer(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/agent/chat/stream`
  const post = async (body: object) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ sessionId: 'session_123', ...body }) })
    return (await response.text()).split('\n\n').flatMap((frame) => parseSSEEvent(frame) ?? [])
  }
  const asked = await post({ message: '删除所有 Boss 配置' })
  const { data } = asked.at(-1) as Extract<StreamEvent, { type: 'confirmation_required' }>
  expect(data).toMatchObject({ type: 'confirm', risk: 'high' })
  const pendingConfirmation: PendingConfirmation = data.pendingConfirmation
  const done = await post({ message: '确认', pendingConfirmation })
  expect(done.map(({ type }) => type)).toContain('tool_call_completed')
  expect(done.at(-1)?.type).toBe('completed')
  expect(boss.executed).toHaveLength(1)
})
