import { chatKitError, codeOfStatus } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import type { EventCore } from '../../stream/event-core.ts'
import type { StreamEvent } from '../../stream/event-parser.ts'
import { asArray, asNumber, asObject, asText, type JsonObject, parseJson } from '../../stream/parse-json.ts'
import { toolCallOp, type ToolParsers } from '../tool-ops.ts'

export type OneDragonState = {
  sessionID: string
  calls: Readonly<Record<string, { name: string; input: unknown }>>
  /** Analyses whose charts the page has to fetch, in the order they were asked for. `null`: the id was not readable. */
  displays: ReadonlyArray<{ callID: string; analyseID: number | null }>
}

type Step = readonly [OneDragonState, readonly ChatOp[]]

const ANSWER_TOOL = 'generate_response'
const DISPLAY_TOOL = 'display_analyse_by_code_result'

/** Every frame holds a message's complete content, so each replaces what the one before it showed. */
export function onedragonCore(toolParsers: ToolParsers = {}): EventCore<OneDragonState> {
  return {
    initial: { sessionID: '', calls: {}, displays: [] },
    step: (state, event) => step(state, event, toolParsers),
    finish: () => [
      { op: 'error', error: chatKitError('network', 'The connection ended before the answer was complete.') },
    ],
  }
}

function step(state: OneDragonState, { data }: StreamEvent, toolParsers: ToolParsers): Step {
  const frame = asObject(parseJson(data))
  const message = asObject(frame['message'])
  const [named, naming] = withSession(state, asText(frame['session_id']))
  switch (frame['type']) {
    case 'message_update':
    case 'message_completed': {
      const isFinal = frame['type'] === 'message_completed'
      const [next, ops] = withMessage(named, message, { isFinal, toolParsers })
      return [next, [...naming, ...ops]]
    }
    case 'error':
      return [named, [...naming, { op: 'error', error: failure(message) }]]
    case 'response_completed':
      return [named, [...naming, { op: 'end' }]]
    default:
      return [named, naming]
  }
}

function withSession(state: OneDragonState, id: string): Step {
  if (state.sessionID || !id) return [state, []]
  return [{ ...state, sessionID: id }, [{ op: 'conversation', id }]]
}

type Setting = { isFinal: boolean; toolParsers: ToolParsers }

function withMessage(state: OneDragonState, message: JsonObject, setting: Setting): Step {
  const id = asText(message['id'])
  return asArray(message['content'])
    .map(asObject)
    .reduce<Step>(
      ([before, ops], block, index) => {
        const [after, more] = withBlock(before, block, { ...setting, textKey: `text_${id}_${index}` })
        return [after, [...ops, ...more]]
      },
      [state, []],
    )
}

function withBlock(state: OneDragonState, block: JsonObject, setting: Setting & { textKey: string }): Step {
  const name = asText(block['name'])
  const key = setting.textKey
  switch (block['type']) {
    case 'text':
      return [state, [{ op: 'text', key, text: asText(block['text']) }]]
    case 'thinking':
      return [state, [{ op: 'reasoning', key, text: asText(block['thinking']) }]]
    case 'tool_use':
      if (name === ANSWER_TOOL)
        return [state, [{ op: 'text', key, text: asText(asObject(block['input'])['response']) }]]
      return called(state, block, name)
    case 'tool_result':
      return name === ANSWER_TOOL ? [state, []] : returned(state, block, setting)
    default:
      return [state, []]
  }
}

function called(state: OneDragonState, block: JsonObject, name: string): Step {
  const id = asText(block['id'])
  const call = { name, input: block['input'] }
  const op = toolCallOp(`tool_${id}`, { id, title: name, ...call, status: 'pending' })
  return [{ ...state, calls: { ...state.calls, [id]: call } }, [op]]
}

function returned(state: OneDragonState, block: JsonObject, { isFinal, toolParsers }: Setting): Step {
  const id = asText(block['id'])
  const { name, input } = state.calls[id] ?? { name: asText(block['name']), input: undefined }
  const output = outputOf(block['output'])
  const isError = block['is_error'] === true
  const done = { id, name, title: name, input, output, status: isError ? 'error' : 'done' } as const
  const tool = toolCallOp(`tool_${id}`, isError ? { ...done, error: output } : done, toolParsers)
  if (!isFinal || isError || name !== DISPLAY_TOOL) return [state, [tool]]
  const analyseID = asNumber(asObject(parseJson(output))['analyse_id']) ?? null
  return [{ ...state, displays: [...state.displays, { callID: id, analyseID }] }, [tool]]
}

/** Text of the result; media is listed by its address. A bare string is accepted. */
function outputOf(output: unknown): string {
  if (typeof output === 'string') return output
  return asArray(output)
    .map((part) => {
      const { type, text, source } = asObject(part)
      return type === 'text' ? asText(text) : asText(asObject(source)['url'])
    })
    .join('\n')
}

/** The hint is a sentence for people and ends with a status. */
function failure(message: JsonObject) {
  const hint = asText(message['hint'])
  const status = Number(/\((\d{3})\)$/.exec(hint)?.[1] ?? 500)
  const platformCode = asText(message['code'])
  return chatKitError(codeOfStatus(status), 'OneDragon reported an error.', {
    status,
    cause: message,
    ...(hint && { userMessage: hint }),
    ...(platformCode && { platformCode }),
  })
}
