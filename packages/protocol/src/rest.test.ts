import { expect, test } from 'vitest'
import type { z } from 'zod'
import { addUsage } from './add-usage.ts'
import { apiKeyNameSchema } from './api-key.ts'
import { restChatSchema } from './chat-over-rest.ts'
import { createMemorySchema, memoryBatchSchema, memoryQuerySchema, updateMemorySchema } from './memory.ts'
import { calendarQuerySchema, createScheduledTaskSchema, updateScheduledTaskSchema } from './scheduled-task.ts'
import { createSessionSchema, sessionDetailSchema, sessionQuerySchema, sessionSchema } from './session.ts'

const task = { title: 'Daily', prompt: 'Report', cron: '0 9 * * *' }

test.each<[string, z.ZodType, { body: object; reads: object }]>([
  [
    'a session from an empty body',
    createSessionSchema,
    { body: {}, reads: { intent: '', model: null, is_persistent: false, env: null } },
  ],
  ['a session list', sessionQuerySchema, { body: { limit: '100', offset: '3' }, reads: { limit: 100, offset: 3 } }],
  ['a session list without a query', sessionQuerySchema, { body: {}, reads: { limit: 20, offset: 0 } }],
  [
    'a chat',
    restChatSchema,
    { body: { message: 'hi' }, reads: { timeout_ms: 300_000, headless: true, output_schema: null } },
  ],
  [
    'a memory',
    createMemorySchema,
    { body: { content: 'x' }, reads: { type: 'feedback', record_type: null, source_session: '' } },
  ],
  [
    '[WR-70] a memory change that leaves and clears',
    updateMemorySchema,
    { body: { topic: '' }, reads: { topic: '', content: null } },
  ],
  [
    'a memory list',
    memoryQuerySchema,
    { body: { status: 'active' }, reads: { status: 'active', limit: 20, offset: 0 } },
  ],
  [
    'a scheduled task',
    createScheduledTaskSchema,
    { body: task, reads: { enabled: true, skip_confirmations: false, timezone: null } },
  ],
  ['a task change', updateScheduledTaskSchema, { body: { expires_at: null }, reads: { expires_at: null } }],
  [
    'a calendar of 92 days',
    calendarQuerySchema,
    { body: { from: '2026-01-01', to: '2026-04-03T00:00:00Z' }, reads: {} },
  ],
])('%s is accepted with its defaults', (_, schema, { body, reads }) => {
  expect(schema.parse(body)).toMatchObject(reads)
})

test.each<[string, z.ZodType, object]>([
  ['a limit of 0', sessionQuerySchema, { limit: '0' }],
  ['a limit of 101', sessionQuerySchema, { limit: '101' }],
  ['a negative offset', sessionQuerySchema, { offset: '-1' }],
  ['an unknown status', sessionQuerySchema, { status: 'in_progress' }],
  ['a timeout under a second', restChatSchema, { message: 'a', timeout_ms: 999 }],
  ['a timeout over half an hour', restChatSchema, { message: 'a', timeout_ms: 1_800_001 }],
  ['an empty memory', createMemorySchema, { content: '' }],
  ['a memory of 501 characters', createMemorySchema, { content: 'x'.repeat(501) }],
  ['a label of 256 characters', createMemorySchema, { content: 'x', topic: 'x'.repeat(256) }],
  ['an empty batch', memoryBatchSchema, { action: 'delete', ids: [] }],
  ['a batch of 101', memoryBatchSchema, { action: 'delete', ids: Array.from({ length: 101 }, (_, id) => id) }],
  ['a key without a name', apiKeyNameSchema, { name: '' }],
  ['a key name of 51 characters', apiKeyNameSchema, { name: 'x'.repeat(51) }],
  ['a task without cron', createScheduledTaskSchema, { title: 'a', prompt: 'b' }],
  ['a task with a bad date', createScheduledTaskSchema, { ...task, expires_at: 'tomorrow' }],
  ['a calendar of 93 days', calendarQuerySchema, { from: '2026-01-01', to: '2026-04-04' }],
  ['a calendar that runs backwards', calendarQuerySchema, { from: '2026-01-02', to: '2026-01-01' }],
])('%s is refused', (_, schema, body) => {
  expect(schema.safeParse(body).success).toBe(false)
})

test('the specification’s session reads, absent extensions filled in, unknown fields kept', () => {
  const seed = {
    id: 'sess_xxx',
    intent: '用户任务描述',
    status: 'created',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    user_id: 'user_xxx',
    solution_id: null,
    biz_role_id: null,
    model: null,
    shared: false,
    is_pinned: false,
    memory_enabled: true,
    is_persistent: false,
    replay_state: null,
    x_new: 1,
  }
  const extensions = { mode: 'executing', last_event_seq: 0, agent: null }
  expect(sessionSchema.parse(seed)).toEqual({ ...seed, ...extensions })
  const session_setup = { model: null, mode: 'executing', disable_tools: null, memory_enabled: true, env_keys: [] }
  const detail = { ...seed, session_setup, viewer_role: 'owner' }
  expect(sessionDetailSchema.parse(detail)).toMatchObject({ ...detail, ...extensions, pending_question: null })
})

test('usage adds up field by field, and nothing plus nothing stays nothing', () => {
  const a = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3 }
  expect(addUsage(a, { input_tokens: 10, output_tokens: 20, cache_write_tokens: 5 })).toEqual({
    input_tokens: 11,
    output_tokens: 22,
    cache_read_tokens: 3,
    cache_write_tokens: 5,
  })
  expect([addUsage(a, null), addUsage(null, a), addUsage(null, null)]).toEqual([a, a, null])
})
