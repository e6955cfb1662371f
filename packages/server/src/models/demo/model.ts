import type { Clock, JsonObject, Model, ModelEvent, ModelRequest, Usage } from '../../ports.ts'
import { gathered } from '../gathered.ts'
import type { DemoAnswer } from './answer.ts'
import { introduction } from './introduction.ts'
import { answerFromPassages } from './knowledge-scenario.ts'
import { answerFromMemories } from './memory-scenario.ts'
import { nextPrompts } from './next-prompts.ts'
import { planStep } from './plan-scenario.ts'
import { sampleValue } from './sample-value.ts'
import { SCENARIOS, SUB_AGENT_SCENARIOS } from './scenarios.ts'
import { demoSummary } from './summary.ts'
import { situationOf, type Situation } from './situation.ts'

export const DEMO_MODEL_ID = 'demo'

export type DemoOptions = {
  sleep: Clock['sleep']
  /** Between two deltas. Default 15. */
  chunkDelayMs?: number
}

/** What the chat offers to send while the demo model answers, in the order to show. */
export const SAMPLE_PROMPTS: readonly { id: string; zh: string; en: string }[] = [
  { id: 'hello', zh: '你好，你能做什么？', en: 'Hello, what can you do?' },
  ...SCENARIOS.map(({ id, prompt }) => ({ id, ...prompt })),
]

/**
 * Answers when no real model is configured, and says so. Scripted: the same request always gets the same answer,
 * whatever happened before, so it works after a restart and on any instance.
 */
export function createDemoModel({ sleep, chunkDelayMs = 15 }: DemoOptions): Model {
  return { stream: (request) => gathered(answerOf(request), request) }

  async function* answerOf(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { signal } = request
    if (signal.aborted) return
    const answer = answerTo(request)
    if (answer.isTooLong) return yield TOO_LONG
    yield { type: 'accepted', model: DEMO_MODEL_ID }
    for (const part of ['thinking', 'text'] as const) {
      const text = answer[part]
      if (!text) continue
      for (const delta of deltas(text)) {
        if (chunkDelayMs > 0) await sleep(chunkDelayMs * (answer.slowness ?? 1), signal)
        if (signal.aborted) return
        yield { type: part, delta }
      }
      yield { type: 'part_end', part }
    }
    yield* toolCalls(answer, request)
    const reason = answer.calls?.length ? 'tool_calls' : 'stop'
    yield { type: 'finish', reason, usage: usageOf(request, answer) }
  }
}

/** As providers say it. */
const TOO_LONG: ModelEvent = {
  type: 'failed',
  failure: {
    kind: 'overflow',
    message: 'demo: the conversation does not fit into the context window',
    contextWindow: 32_000,
    incomplete: false,
  },
  usage: null,
}

/** The scripted answer to a request, in one piece. */
function answerTo(request: ModelRequest): DemoAnswer {
  if (request.purpose === 'suggestions') return { text: nextPrompts(request.messages) }
  // The first words are a title already.
  if (request.purpose === 'title') return { text: '' }
  if (request.purpose === 'compaction') return { text: demoSummary(request.messages) }
  const situation = situationOf(request)
  const { question, language } = situation
  const scenario = [...SUB_AGENT_SCENARIOS, ...SCENARIOS].find(({ pattern }) => pattern.test(question))
  const isKnown = scenario !== undefined || GREETING.test(question)
  const answer = planStep(situation, isKnown) ??
    scenario?.step(situation) ??
    (isKnown ? undefined : (answerFromMemories(situation) ?? answerFromPassages(situation))) ?? {
      text: introduction(language, quoted(question)),
    }
  return withResult(answer, situation)
}

/** A run that wants a structured result gets one together with the last words. */
function withResult(answer: DemoAnswer, { submitResult }: Situation): DemoAnswer {
  if (!submitResult || answer.calls?.length) return answer
  const value = sampleValue(submitResult.input)
  return { ...answer, calls: [{ name: submitResult.name, arguments: value as JsonObject }] }
}

/** Whoever greets, or asks what this is, is introduced to it. */
const GREETING =
  /^\s*(hello|hi|hey|good (morning|day|evening)|help|what can you|what do you|who are you|what are you|你好|您好|嗨|帮助|你能|你会|你可以|你是谁|能做什么)/i

function quoted(question: string): string {
  if (GREETING.test(question)) return ''
  const line = question.replace(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}

function* toolCalls({ calls = [] }: DemoAnswer, request: ModelRequest): Generator<ModelEvent> {
  const fingerprint = calls.length > 0 ? fingerprintOf(request) : ''
  for (const [index, call] of calls.entries()) {
    const id = `demo_${fingerprint}_${index}`
    yield { type: 'tool_call', call: { id, name: call.name, arguments: JSON.stringify(call.arguments) } }
  }
}

/** Makes call ids that differ between conversations and steps without a counter or chance (FNV-1a, 32 bits, twice). */
function fingerprintOf({ system, messages }: ModelRequest): string {
  const text = JSON.stringify([system, messages])
  let forward = 0x811c9dc5
  let backward = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    forward = Math.imul(forward ^ text.charCodeAt(at), 0x01000193)
    backward = Math.imul(backward ^ text.charCodeAt(text.length - 1 - at), 0x01000193)
  }
  return [forward, backward].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}

/** Words, or two characters of a script without spaces; together they are the text again. */
function deltas(text: string): string[] {
  return text.match(/\p{Script=Han}{1,2}|[^\p{Script=Han}\s]+\s*|\s+/gu) ?? []
}

/** Counts as a tokenizer roughly would. */
function usageOf({ system, messages }: ModelRequest, { thinking = '', text = '', calls = [] }: DemoAnswer): Usage {
  return {
    input_tokens: tokensIn(system + JSON.stringify(messages)),
    output_tokens: tokensIn(thinking + text + (calls.length > 0 ? JSON.stringify(calls) : '')),
  }
}

function tokensIn(text: string): number {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
  return han + Math.ceil((text.length - han) / 4)
}
