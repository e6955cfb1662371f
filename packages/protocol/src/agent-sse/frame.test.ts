import { expect, test } from 'vitest'
import * as agentSse from '../agent-sse.ts'

const started = {
  ...{ id: 'evt_1704067200000_1', type: 'processing_started' as const },
  ...{ timestamp: 1_704_067_200_000, sessionId: 'session_123', data: { messageId: 'msg_456' } },
}

test('[S3.1] [S3.2] [S3.3] [S18.1] an event is four lines, with the whole event as its data', () => {
  expect(agentSse.formatSSEEvent(started)).toBe(
    'id: evt_1704067200000_1\nevent: processing_started\ndata: {"id":"evt_1704067200000_1","type":"processing_started","timestamp":1704067200000,"sessionId":"session_123","data":{"messageId":"msg_456"}}\n\n',
  )
})

test('[S3.4] a heartbeat has no id line', () => {
  expect(agentSse.formatSSEEvent(agentSse.createHeartbeatEvent('s'))).toMatch(
    /^event: heartbeat\ndata: \{[^\n]+\}\n\n$/,
  )
})

test.each(['\n', '\r', '\r\n'])('an event is read whatever ends its lines, and however its data is split', (end) => {
  const frame = agentSse.formatSSEEvent(started)
  expect(agentSse.parseSSEEvent(frame.replaceAll('\n', end))).toEqual(started)
  expect(agentSse.parseSSEEvent(frame.replace(',"sessionId"', `\ndata:,"sessionId"`))).toEqual(started)
})

test.each([': ping\n\n', 'data: 1\n\n', 'data: {"id":1}\n\n', 'data: {\n\n', ''])('%j is no event', (text) => {
  expect(agentSse.parseSSEEvent(text)).toBeNull()
})

test('[S4] [S17] each type has its factory; ids are unique, bear the time stamp, and absent fields are left out', () => {
  const events = [
    agentSse.createProcessingStartedEvent('s', 'm'),
    agentSse.createIterationStartedEvent('s', 1, 10),
    agentSse.createIterationCompletedEvent('s', 1, 5, 0),
    agentSse.createContentChunkEvent('s', 'hi', false),
    agentSse.createToolCallStartedEvent('s', 'c', 'add', { a: 1 }),
    agentSse.createToolCallCompletedEvent('s', 'c', 'add', true, 3, 2),
    agentSse.createToolErrorEvent('s', 'c', 'add', 'no', true),
    agentSse.createKnowledgeRetrievedEvent('s', 1, ['faq']),
    agentSse.createConfirmationCheckEvent('s', 'Checking'),
    agentSse.createDecisionEvent('s', 'done', true),
    agentSse.createCompletedEvent('s', 'm', 9, 1, 0),
    agentSse.createMaxIterationsEvent('s', 10),
    agentSse.createErrorEvent('s', 'TIMEOUT', 'late', true),
    agentSse.createCancelledEvent('s', 'timeout'),
    agentSse.createHeartbeatEvent('s'),
  ]
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  for (const event of events) {
    expect(event.id).toMatch(new RegExp(`^evt_${event.timestamp}_\\d+$`))
    expect(agentSse.parseSSEEvent(agentSse.formatSSEEvent(event))).toEqual(event)
  }
  expect(Object.keys(agentSse.createMaxIterationsEvent('s', 10).data)).toEqual(['iterations'])
})
