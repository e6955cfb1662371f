import { describe, expect, test } from 'vitest'
import { assistantTurn } from '../test/example-run.ts'
import { utf8Bytes } from './full-value.ts'
import type { Patch, PatchEnvelope, PatchMode } from './patch.ts'
import type { PatchModeState } from './patch-mode.ts'
import { emptyPatchModeState, encodePatch, endPatches, nextSyncAt, takeDueSyncs } from './patch-mode.ts'
import { applyPatch } from './apply-patch.ts'
import type { TurnProjection } from './turn.ts'

describe('compat', () => {
  test('[WR-3] a small block goes out whole with every increment', () => {
    const sent = stream('compat', { count: 20, make: text('x'.repeat(100)) })
    expect(sent.map(({ data }) => contentOf(data)?.length)).toEqual(sent.map((_, index) => (index + 1) * 100))
  })

  test('[WR-3] beyond 2 048 bytes a block goes out whole each time it has grown by 5 %', () => {
    const sent = stream('compat', { count: 600, make: text('x'.repeat(10)) })
    const sizes = sent.flatMap(({ data }) => contentOf(data)?.length ?? [])
    const large = sizes.filter((size) => size > 2_048)
    expect(large[0]).toBe(2_150) // the last whole one had 2 040
    for (const [index, size] of large.entries()) expect(size).toBeGreaterThanOrEqual((large[index - 1] ?? 2_040) * 1.05)
    expect(large.length).toBeGreaterThan(15)
  })

  test('sizes are counted in UTF-8, not in characters', () => {
    const sent = stream('compat', { count: 100, make: text('字'.repeat(10)) })
    const whole = sent.flatMap(({ data }) => contentOf(data)?.length ?? [])
    expect(whole.filter((size) => size > 700)).not.toContain(710)
    expect(whole).toContain(680)
  })

  test('each block is measured on its own', () => {
    const sent = stream('compat', {
      count: 2,
      make: (index) => text('x'.repeat(index === 0 ? 3_000 : 100), index)(index),
    })
    expect(sent.map(({ data }) => contentOf(data)?.length)).toEqual([3_000, 100])
  })

  test('text patches carry the turn with the first patch and then at most every 100 ms', () => {
    const sent = stream('compat', { count: 10, make: text('x'), msPerPatch: 30 })
    expect(sent.flatMap(({ data }) => data.turn?.patch_sequence ?? [])).toEqual([1, 5, 9])
  })

  test('a large turn is not repeated with text before it has grown by 5 %, however much time passes', () => {
    const sent = stream('compat', { count: 50, make: text('x'.repeat(100)), msPerPatch: 1_000, from: longTurn(20_000) })
    const sizes = sent.flatMap(({ data }) => (data.turn ? jsonSize(data.turn) : []))
    expect(sizes.length).toBeGreaterThan(2)
    for (const [index, size] of sizes.entries()) expect(size).toBeGreaterThan((sizes[index - 1] ?? 0) * 1.04)
  })

  test('every patch that is not text carries the turn, at once, up to 256 KiB', () => {
    const sent = stream('compat', { count: 5, make: call, from: longTurn(200_000) })
    expect(sent.map(({ data }) => data.turn?.patch_sequence)).toEqual([1, 2, 3, 4, 5])
  })

  test('beyond 256 KiB such a patch carries the turn once it has grown by 5 %', () => {
    const sent = stream('compat', { count: 5, make: call, from: longTurn(300_000) })
    expect(sent.map(({ data }) => data.turn?.patch_sequence)).toEqual([1, undefined, undefined, undefined, undefined])
    const large = stream('compat', { count: 2, make: block('x'.repeat(20_000)), from: longTurn(300_000) })
    expect(large.map(({ data }) => data.turn?.patch_sequence)).toEqual([1, 2])
  })

  test('only the five seed types are sent', () => {
    const sent = [...stream('compat', { count: 9, make: text('x') }), ...stream('compat', { count: 9, make: call })]
    const types = new Set(sent.map((p) => p.patch_type))
    expect([...types]).toEqual(['add_content', 'add_tool_call'])
  })

  test('a turn that ended and goes on is sent whole again', () => {
    const turn = longTurn(5_000)
    const first = encodePatch('compat', emptyPatchModeState, { patch: envelope(text('x')(0), 1), turn, now: 0 })
    expect(Object.keys(first.state)).toEqual(['turn_1'])
    expect(endPatches(first.state, 'turn_1')).toEqual({})
    expect(endPatches(first.state, 'turn_9')).toBe(first.state)
  })
})

describe('delta', () => {
  test('neither content beside an increment nor the turn is sent', () => {
    const patch = envelope({ patch_type: 'add_content', data: { type: 'text', text_delta: 'b', content: 'ab' } }, 2)
    const withTurn = { ...patch, data: { ...patch.data, turn: assistantTurn } } as PatchEnvelope
    const sent = encodePatch('delta', emptyPatchModeState, { patch: withTurn, turn: assistantTurn, now: 0 }).patch
    expect(sent).toEqual({ ...patch, data: { type: 'text', text_delta: 'b' } })
  })

  test('the content of a whole block is sent', () => {
    const patch = envelope(block({ status: 'proposed' })(0), 1)
    expect(encodePatch('delta', emptyPatchModeState, { patch, turn: assistantTurn, now: 0 }).patch).toEqual(patch)
  })
})

describe('sync', () => {
  test('[WR-4] every patch sent is a snapshot numbered like the last ordinary patch in it', () => {
    const sent = stream('sync', { count: 10, make: text('x'), msPerPatch: 30 })
    expect(sent.map(({ patch_type, sequence, data }) => [patch_type, sequence, data.turn?.patch_sequence])).toEqual([
      ['sync', 1, 1],
      ['sync', 5, 5],
      ['sync', 9, 9],
    ])
  })

  test('a change that is not text is sent at once', () => {
    const sent = stream('sync', { count: 4, make: (index) => (index % 2 ? call(index) : text('x')(index)) })
    expect(sent.map(({ sequence }) => sequence)).toEqual([1, 2, 4])
  })

  test('text that came too early is sent when its time has come', () => {
    const { state } = encodeAll('sync', { count: 2, make: text('x'), msPerPatch: 10 })
    expect(nextSyncAt(state)).toBe(100)
    expect(takeDueSyncs(state, 99)).toEqual({ state, patches: [] })
    const due = takeDueSyncs(state, 100)
    expect(due.patches).toMatchObject([{ patch_type: 'sync', sequence: 2, data: { turn: { patch_sequence: 2 } } }])
    expect(nextSyncAt(due.state)).toBeNull()
    expect(takeDueSyncs(due.state, 300).patches).toEqual([])
  })

  test('a held snapshot is dropped when a newer one goes out', () => {
    const { state } = encodeAll('sync', { count: 3, make: (index) => (index === 2 ? call(index) : text('x')(index)) })
    expect(nextSyncAt(state)).toBeNull()
  })
})

describe('volume', () => {
  test.each([
    ['compat', 0, 200],
    ['compat', 20, 200],
    ['compat', 100, 200],
    ['delta', 20, 100],
    ['sync', 20, 60],
  ] as const)(
    '[WR-3] %s at one increment per %i ms costs under %i times the text, and linearly',
    (mode, msPerPatch, limit) => {
      const once = wireBytes(mode, 50_000, msPerPatch)
      const twice = wireBytes(mode, 100_000, msPerPatch)
      expect(once / 200_000).toBeLessThan(limit)
      expect(twice / once).toBeLessThanOrEqual(2.2)
    },
  )
})

test.each(['', 'abc', 'é', '字', '😀', 'a😀b', '\ud83d', 'x\udc00', '\ud83d\ud83d\ude00'])(
  'the UTF-8 length of %j is counted right',
  (text) => {
    expect(utf8Bytes(text)).toBe(encodeURIComponent(text.toWellFormed()).replace(/%../g, '%').length)
  },
)

type Make = (index: number) => Patch
type Stream = { count: number; make: Make; msPerPatch?: number; from?: TurnProjection }

function stream(mode: PatchMode, patches: Stream): PatchEnvelope[] {
  return encodeAll(mode, patches).sent
}

function encodeAll(mode: PatchMode, { count, make, msPerPatch = 0, from = assistantTurn }: Stream) {
  let state: PatchModeState = emptyPatchModeState
  let turn = from
  const sent: PatchEnvelope[] = []
  for (let index = 0; index < count; index++) {
    const patch = envelope(make(index), index + 1)
    turn = applyPatch(turn, patch)
    const output = encodePatch(mode, state, { patch, turn, now: index * msPerPatch })
    state = output.state
    if (output.patch) sent.push(output.patch)
  }
  return { state, sent }
}

/** Bytes of all frames when a text streams in increments of four ASCII characters. */
function wireBytes(mode: PatchMode, increments: number, msPerPatch: number): number {
  return stream(mode, { count: increments, make: text('abc '), msPerPatch }).reduce(
    (sum, patch) => sum + jsonSize(patch),
    0,
  )
}

function text(text_delta: string, block_index = 0): Make {
  return () => ({ patch_type: 'add_content', data: { type: 'text', text_delta, block_index } })
}

function block(content: unknown): Make {
  return () => ({ patch_type: 'add_content', data: { type: 'plan_status', content } })
}

function call(index: number): Patch {
  const data = { tool_name: 'Bash', display_name: 'Run', arguments: '{}', status: 'pending' } as const
  return { patch_type: 'add_tool_call', data: { id: `tc_${index}`, ...data } }
}

function envelope(patch: Patch, sequence: number): PatchEnvelope {
  return { session_id: 'sess_1', event_seq: sequence, turn_id: 'turn_1', loop_id: 'root', sequence, ...patch }
}

function longTurn(size: number): TurnProjection {
  const notice = { type: 'thinking', content: 'x'.repeat(size) } as const
  return { ...assistantTurn, blocks: [{ ...notice, tool_call_id: null, tool_name: null, display_name: null }] }
}

function contentOf(data: object): string | undefined {
  return 'content' in data ? String(data.content) : undefined
}

function jsonSize(value: unknown): number {
  return JSON.stringify(value).length
}
