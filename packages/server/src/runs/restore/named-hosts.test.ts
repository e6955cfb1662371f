import { ROOT_LOOP, type TurnProjection } from '@parley/protocol'
import { expect, test } from 'vitest'
import { NamedHosts } from './named-hosts.ts'

const turn = (given: Partial<TurnProjection>) =>
  ({
    loop_id: ROOT_LOOP,
    kind: 'message',
    role: 'user',
    run_id: 'run_1',
    blocks: [{ type: 'text', content: 'Read https://host.example/' }],
    tool_calls: [],
    ...given,
  }) as unknown as TurnProjection

const search = (given: object = {}) =>
  turn({
    role: 'assistant',
    tool_calls: [
      { tool_name: 'WebSearch', status: 'done', result: { results: [{ link: 'https://host.example/' }] }, ...given },
    ] as never,
  })

test.each<[string, TurnProjection, boolean]>([
  ['a message of the user', turn({}), true],
  ['a search', search(), true],
  ['a turn that no run of ours wrote', turn({ run_id: null }), false],
  ['a search that no run of ours made', { ...search(), run_id: null }, false],
  ['what the model wrote', turn({ role: 'assistant' }), false],
  ['a remark of the system', turn({ role: 'system' }), false],
  ['what a sub-agent was told', turn({ loop_id: 'agent:1' }), false],
  ['the summary of a compaction', turn({ kind: 'compaction' }), false],
  ['a search that failed', search({ status: 'error' }), false],
  ['the result of another tool', search({ tool_name: 'mcp__x__WebSearch' }), false],
  ['hits that are none', search({ result: { results: [null, 7, { link: 7 }, 'https://host.example/'] } }), false],
  ['a result that is no list of hits', search({ result: 'https://host.example/' }), false],
])('%s names a host: %#', (_what, stored, isNamed) => {
  expect(new NamedHosts([stored]).has('https://host.example/path')).toBe(isNamed)
})
