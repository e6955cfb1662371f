import fc from 'fast-check'
import { expect } from 'vitest'
import type { ChatMessage } from '../src/model/chat-message.ts'
import type { ChatOp } from '../src/model/chat-op.ts'
import { RoleType } from '../src/model/role.ts'
import { applyOps } from '../src/store/apply-ops.ts'
import { type EventCore, streamOps } from '../src/stream/event-core.ts'

export type Outcome = {
  blocks: unknown[]
  context: unknown
  messageID: string
  conversation: string
  handle: unknown
  end: string
  error?: unknown
}

const empty: ChatMessage = {
  messageID: '',
  messageId: '',
  role: { name: 'AI', type: RoleType.Assistant, avatar: '' },
  content: [],
}

/** What a message looks like after a recording. */
export function outcomeOf(ops: readonly ChatOp[]): Outcome {
  const message = applyOps(empty, ops)
  const last = ops.at(-1)
  const said = <Name extends ChatOp['op']>(name: Name) =>
    ops.find((op): op is Extract<ChatOp, { op: Name }> => op.op === name)
  return {
    blocks: message.content.map(({ type, content }) => [type, content]),
    context: message.messageContext ?? {},
    messageID: message.messageID,
    conversation: said('conversation')?.id ?? '',
    handle: said('handle')?.value,
    end: last?.op === 'end' ? (last.status ?? 'completed') : (last?.op ?? 'nothing'),
    ...(last?.op === 'error' && { error: last.error }),
  }
}

/** Runs a recording through a core as it came over the wire, cut where asked. */
export async function play<State>(
  core: EventCore<State>,
  bytes: Uint8Array,
  cuts: readonly number[] = [],
): Promise<ChatOp[]> {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      edges.slice(1).forEach((edge, index) => controller.enqueue(bytes.subarray(edges[index], edge)))
      controller.close()
    },
  })
  const ops: ChatOp[] = []
  const io = { signal: new AbortController().signal, alive: () => {} }
  for await (const op of streamOps(core, new Response(body), io)) ops.push(op)
  return ops
}

/**
 * The vector at once; then byte by byte, with CRLF, with a BOM and comments, and at random cuts: always the same. Gives
 * the outcome for the test to look at.
 */
export async function playAllWays<State>(core: EventCore<State>, text: string): Promise<Outcome> {
  const encode = (form: string) => new TextEncoder().encode(form)
  const whole = await play(core, encode(text))
  const outcome = outcomeOf(whole)
  const bytes = encode(text)
  expect(await play(core, bytes, Array.from(bytes.keys()))).toEqual(whole)
  const crlf = encode(text.replaceAll('\n', '\r\n'))
  expect(await play(core, crlf, Array.from(crlf.keys()))).toEqual(whole)
  expect(await play(core, encode(`\uFEFF: hello\n\n${text.replaceAll('\n\n', '\n\n: ping\n\n')}`))).toEqual(whole)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (cuts) => {
      expect(outcomeOf(await play(core, bytes, cuts))).toEqual(outcome)
    }),
    { numRuns: 30 },
  )
  return outcome
}
