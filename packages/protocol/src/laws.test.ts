/** Laws of the fold, checked on generated conversations. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionEvent } from './events.ts'
import type { PatchEnvelope, PatchMode } from './patch.ts'
import { emptyPatchModeState, encodePatch, endPatches, takeDueSyncs } from './patch-mode.ts'
import { playSteps } from '../test/play-steps.ts'
import type { Projection } from './reduce.ts'
import { emptyProjection, findTurn, reduce, withRestTurns } from './reduce.ts'

const nat = fc.nat(20)
/** As it comes over the wire, which knows no negative zero. */
const wireValue = fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.parse(JSON.stringify(value)) as typeof value)
const step = fc.oneof(
  fc.record({ do: fc.constant('start' as const), fork: fc.boolean() }),
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), turn: nat, ...said() }) },
  fc.record({ do: fc.constant('call' as const), turn: nat, tool: tools(), arguments: argumentTexts() }),
  fc.record({ do: fc.constant('settle' as const), turn: nat, call: nat, result: wireValue }),
  fc.record({ do: fc.constant('mark' as const), turn: nat, call: nat, asks: fc.boolean() }),
  fc.record({
    do: fc.constant('show' as const),
    turn: nat,
    type: fc.constantFrom('plan_status', 'tool_ui', 'hologram'),
  }),
  fc.record({ do: fc.constant('future' as const), turn: nat }),
  fc.record({ do: fc.constant('end' as const), turn: nat, status: fc.constantFrom('completed', 'paused', 'failed') }),
  fc.record({ do: fc.constant('resume' as const), turn: nat, status: fc.constantFrom('completed', 'interrupted') }),
  fc.record({ do: fc.constant('update' as const), mode: fc.constantFrom('planning', 'executing') }),
)

const conversation = fc.array(step, { minLength: 1, maxLength: 60 }).map(playSteps)
const mode = fc.constantFrom<PatchMode>('compat', 'delta', 'sync')
const pace = fc.constantFrom(0, 30, 150)

test('before each turn:end, patches in delta and compat mode have built exactly its blocks and calls', () => {
  check(
    fc.property(conversation, fc.constantFrom<PatchMode>('compat', 'delta'), pace, ({ events }, mode, msPerEvent) => {
      let state = emptyProjection
      for (const event of encoded(events, mode, msPerEvent)) {
        if (event.name === 'turn:end') {
          const { blocks, tool_calls, patch_sequence } = event.payload
          expect(findTurn(state, event.payload.turn_id)).toMatchObject({ blocks, tool_calls, patch_sequence })
        }
        state = reduce(state, event)
      }
    }),
  )
})

test('folding any conversation in any patch mode ends in the turns the server has', () => {
  check(
    fc.property(conversation, mode, pace, ({ events, turns }, mode, msPerEvent) => {
      const state = fold(encoded(events, mode, msPerEvent))
      expect(state.turns).toEqual(turns)
      expect(state.needsResync).toBe(false)
    }),
  )
})

test('wherever content or a snapshot is attached, it equals what the increments add up to', () => {
  check(
    fc.property(conversation, fc.constantFrom<PatchMode>('compat', 'sync'), pace, ({ events }, mode, msPerEvent) => {
      const snapshots = new Map(history(events).map((state) => [state.event_seq, state]))
      for (const { name, payload } of encoded(events, mode, msPerEvent)) {
        if (name !== 'turn:patch') continue
        const turn = findTurn(snapshots.get(payload.event_seq)!, payload.turn_id)
        if (payload.data.turn) expect(payload.data.turn).toEqual(turn)
        if (payload.patch_type === 'add_content' && payload.data.text_delta && 'content' in payload.data)
          expect(turn?.blocks.map(({ content }) => content)).toContain(payload.data.content)
      }
    }),
  )
})

test('a client that reconnects anywhere, with any overlap, in any mode, ends in the same state', () => {
  check(
    fc.property(conversation, mode, fc.tuple(fc.nat(80), fc.nat(80)), ({ events }, mode, [cut, overlap]) => {
      const sent = encoded(events, mode, 30)
      const resumed = [...sent.slice(0, cut), ...sent.slice(Math.max(0, Math.min(cut, sent.length) - overlap))]
      expect(fold(resumed)).toEqual(fold(sent))
    }),
  )
})

test('a client that lost events folds on to the same turns after the catch-up snapshot', () => {
  check(
    fc.property(conversation, fc.nat(80), fc.nat(80), ({ events, turns }, cut, lost) => {
      const missed = events.slice(0, cut + lost)
      const server = fold(missed)
      const catchUp = server.turns.map((turn) => turnEvent('turn:start', turn, server.event_seq))
      expect(fold([...events.slice(0, cut), ...catchUp, ...events.slice(cut + lost)]).turns).toEqual(turns)
    }),
  )
})

test('events of a newer server change nothing', () => {
  check(
    fc.property(conversation, fc.array(nat), ({ events }, places) => {
      const unknown = {
        name: 'future:thing',
        payload: { session_id: 'sess_1', event_seq: 1 },
      } as unknown as SessionEvent
      const mixed = places.reduce((list, place) => list.toSpliced(place, 0, unknown), events)
      expect({ ...fold(mixed), event_seq: 0 }).toEqual({ ...fold(events), event_seq: 0 })
    }),
  )
})

test('unknown fields of a newer server, in payloads and in patch data, disturb nothing that is known', () => {
  check(
    fc.property(conversation, ({ events, turns }) => {
      const x_new = { any: ['thing'] }
      const decorated = events.map(({ name, payload }) => {
        const data = 'data' in payload ? { data: { ...payload.data, x_new } } : {}
        return { name, payload: { ...payload, ...data, x_new } } as unknown as SessionEvent
      })
      expect(fold(decorated).turns).toMatchObject(turns)
    }),
  )
})

test('a REST answer of any age never takes a turn back, and a later one is taken whole', () => {
  check(
    fc.property(conversation, fc.nat(80), fc.nat(80), ({ events }, here, there) => {
      const states = history(events)
      const ours = states.at(Math.min(here, states.length - 1))!
      const theirs = states.at(Math.min(there, states.length - 1))!
      const newer = here >= there ? ours : theirs
      expect(withRestTurns(ours, theirs.turns).turns).toEqual(newer.turns)
    }),
  )
})

test('after a REST answer of any age the stream folds on to the same end', () => {
  check(
    fc.property(conversation, fc.nat(80), fc.nat(80), ({ events, turns }, here, there) => {
      const theirs = fold(events.slice(0, there))
      const merged = withRestTurns(fold(events.slice(0, here)), theirs.turns)
      const state = fold(events.slice(here), merged)
      expect(state.turns).toEqual(turns)
      expect(state.needsResync).toBe(false)
    }),
  )
})

test('no event changes a turn it does not name, nor the state before it', () => {
  check(
    fc.property(conversation, ({ events }) => {
      let state = emptyProjection
      for (const event of events) {
        const before = JSON.stringify(state)
        const next = reduce(state, event)
        const named = 'turn_id' in event.payload ? event.payload.turn_id : null
        for (const turn of state.turns) if (turn.turn_id !== named) expect(next.turns.includes(turn)).toBe(true)
        expect(JSON.stringify(state)).toBe(before)
        state = next
      }
    }),
  )
})

test('the concatenated increments of a block are its content', () => {
  check(
    fc.property(conversation, ({ events }) => {
      const texts = new Map<string, string>()
      for (const { name, payload } of events) {
        if (name !== 'turn:patch' || payload.patch_type !== 'add_content' || payload.data.text_delta == null) continue
        const { block_index, text_delta } = payload.data
        if (block_index == null) return // only a stream that names its blocks can be added up without folding
        const block = `${payload.turn_id} ${block_index}`
        texts.set(block, (texts.get(block) ?? '') + text_delta)
      }
      const state = fold(events.filter(({ name }) => name !== 'turn:end'))
      for (const [block, text] of texts) {
        const [turn_id = '', index] = block.split(' ')
        expect(findTurn(state, turn_id)?.blocks[Number(index)]?.content).toBe(text)
      }
    }),
  )
})

function said() {
  return {
    type: fc.constantFrom('text', 'thinking'),
    text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 900 }),
    place: fc.constantFrom('last', 'older', 'unsaid'),
  }
}

function tools() {
  return fc.constantFrom('Bash', 'Agent', 'AskUserQuestion')
}

function argumentTexts() {
  return fc.constantFrom(
    { text: '{"command": "ls"}', means: { command: 'ls' } },
    { text: '[1]', means: { _raw: '[1]' } },
    { text: '{"half', means: { _raw: '{"half' } },
  )
}

/** The events as a subscription in that mode gets them, `msPerEvent` apart. */
function encoded(events: SessionEvent[], mode: PatchMode, msPerEvent: number): SessionEvent[] {
  let state = emptyPatchModeState
  let server = emptyProjection
  return events.flatMap((event, index): SessionEvent[] => {
    const now = index * msPerEvent
    server = reduce(server, event)
    if (event.name === 'turn:end') state = endPatches(state, event.payload.turn_id)
    const late = takeDueSyncs(state, now)
    state = late.state
    const before = late.patches.map(patchEvent)
    if (event.name !== 'turn:patch') return [...before, event]
    const turn = findTurn(server, event.payload.turn_id)!
    const output = encodePatch(mode, state, { patch: event.payload, turn, now })
    state = output.state
    return output.patch ? [...before, patchEvent(output.patch)] : before
  })
}

function patchEvent(payload: PatchEnvelope): SessionEvent {
  return { name: 'turn:patch', payload }
}

function turnEvent(name: 'turn:start', turn: Projection['turns'][number], event_seq: number): SessionEvent {
  return { name, payload: { ...turn, session_id: 'sess_1', event_seq, solution_id: null, template_id: null } }
}

function fold(events: readonly SessionEvent[], from: Projection = emptyProjection): Projection {
  return events.reduce(reduce, from)
}

function history(events: readonly SessionEvent[]): Projection[] {
  const states = [emptyProjection]
  for (const event of events) states.push(reduce(states.at(-1)!, event))
  return states
}

function check<Values>(property: fc.IProperty<Values>) {
  fc.assert(property, { numRuns: 200 })
}
