import { parseBoundedJson } from '@parley/protocol/wire'
import type { JsonObject, ModelRequest, ToolSpec, UserPart } from '../../ports.ts'
import { TOOL_NAMES } from '../../words/tool-names.ts'
import { languageOfText, type Language } from './language.ts'
import { type DemoPlan, readPlan } from './read-plan.ts'

/** A passage of a document. */
export type Passage = { number: number; from: string; text: string }

export type SeenResult = { tool_name: string; arguments: JsonObject; text: string; is_error: boolean }

/**
 * Where a conversation stands, read from the request alone. The demo keeps no counter: after a restart, or on another
 * instance, the same request gets the same answer.
 */
export type Situation = {
  /** What was asked last. */
  question: string
  language: Language
  /** What was found for it in documents. */
  passages: readonly Passage[]
  /** What the tools have answered since then. */
  results: readonly SeenResult[]
  /** The plan that was proposed last, in the whole conversation. */
  plan: DemoPlan | undefined
  /** Messages before the question. */
  earlier: number
  /** The conversation begins with a summary. */
  isCompacted: boolean
  offers: (toolName: string) => boolean
  /** Tools that are not the server's own. */
  brought: readonly ToolSpec[]
  /** Present when the run wants its result through `submit_result`. */
  submitResult: ToolSpec | undefined
}

/** Those that every server has, and those of the loop itself. */
const OWN: ReadonlySet<string> = new Set([...Object.keys(TOOL_NAMES), 'AskUserQuestion', 'Agent', 'submit_result'])

/** What the page around the chat put in front of the question is not the user's language. */
const CONTEXT = /^【上下文: .*】\n[\s\S]*?\n\n/

/** What the server writes over a summary. */
const SUMMARY = /^Earlier turns of this conversation are not shown any more/

export function situationOf({ messages, tools }: ModelRequest): Situation {
  const asked = messages.findLastIndex((message) => message.role === 'user')
  const parts = messages[asked]?.role === 'user' ? messages[asked].content : []
  const isFound = (part: UserPart) => part.type === 'text' && part.recalled !== undefined
  const question = textOf(parts.filter((part) => !isFound(part)))
  const since = messages.slice(asked + 1)
  const calls = since.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  return {
    question,
    language: languageOfText(question.replace(CONTEXT, '')),
    passages: parts.filter(isFound).flatMap(passageIn),
    results: since.flatMap((message) => {
      if (message.role !== 'tool') return []
      const call = calls.find((part) => part.type === 'tool_call' && part.id === message.tool_call_id)
      const { tool_name, text, is_error } = message
      return [{ tool_name, arguments: call?.type === 'tool_call' ? parsed(call.arguments) : {}, text, is_error }]
    }),
    plan: planIn(messages),
    earlier: Math.max(0, asked),
    isCompacted: messages[0]?.role === 'user' && SUMMARY.test(textOf(messages[0].content)),
    offers: (toolName) => tools.some((tool) => tool.name === toolName),
    brought: tools.filter(({ name }) => !OWN.has(name)),
    submitResult: tools.find((tool) => tool.name === 'submit_result'),
  }
}

/** As `knowledge/` writes them. */
function passageIn(part: UserPart): Passage[] {
  const found = /^<passage number="(\d+)" from="([^"]*)"[^\n]*>\n([\s\S]*)\n<\/passage>$/.exec(
    'text' in part ? part.text : '',
  )
  return found ? [{ number: Number(found[1]), from: found[2]!, text: found[3]! }] : []
}

function planIn(messages: ModelRequest['messages']): DemoPlan | undefined {
  const proposed = messages.findLast(
    (message) => message.role === 'tool' && message.tool_name === 'SubmitPlan' && !message.is_error,
  )
  return proposed?.role === 'tool' ? readPlan(proposed.text) : undefined
}

function textOf(parts: readonly { type: string; text?: string }[]): string {
  return parts.map((part) => part.text ?? '').join('\n')
}

function parsed(json: string): JsonObject {
  return (parseBoundedJson(json) ?? {}) as JsonObject
}
