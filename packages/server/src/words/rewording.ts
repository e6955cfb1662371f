import {
  type ChatEndPayload,
  type ContentBlock,
  isSpecialTool,
  parseArguments,
  type PendingQuestion,
  type QuestionAnswer,
  type ToolCallProjection,
  type TurnProjection,
} from '@parley/protocol'
import { errorWords, failureWords } from './error-words.ts'
import { isForOperators, reword } from './phrase-book.ts'
import { say } from './phrases.ts'
import type { Reader } from './reader.ts'

/**
 * A tool's names for people, by what programs call it or by one of these names; `undefined` for one that only brought its
 * own.
 */
export type ToolNames = (session_id: string, called: string) => { zh: string; en: string } | undefined

/**
 * Everything the server itself says in a session, for one kind of reader: names of tools, questions that ask for consent,
 * remarks, failures. What people, models and tools said stays as it is, and what needs no other words stays the same object.
 */
export class Rewording {
  readonly reader: Reader
  readonly #nameOf: ToolNames

  constructor(reader: Reader, nameOf: ToolNames) {
    this.reader = reader
    this.#nameOf = nameOf
  }

  turn(session_id: string, turn: TurnProjection): TurnProjection {
    const { tool_calls, blocks, failure_reason } = turn
    const calls = mapped(tool_calls, (call) => this.#call(session_id, call))
    const shown = mapped(blocks, (block) => this.#block(session_id, block))
    const reason = failure_reason && failureWords(failure_reason, this.reader)
    if (calls === tool_calls && shown === blocks && reason === failure_reason) return turn
    return { ...turn, tool_calls: calls, blocks: shown, failure_reason: reason }
  }

  /** The payload of an event, by the event's name. Anything may lie there: what has not the expected form is left alone. */
  payload(session_id: string, name: string, payload: Record<string, unknown>): Record<string, unknown> {
    switch (name) {
      case 'turn:start':
      case 'turn:end':
        return isTurnLike(payload) ? this.turn(session_id, payload as unknown as TurnProjection) : payload
      case 'turn:patch':
        return { ...payload, data: this.#patch(session_id, payload['patch_type'], payload['data']) }
      case 'system:error':
        return this.#error(payload)
      case 'chat:end':
        return this.chatEnd(session_id, payload as unknown as ChatEndPayload)
      case 'system:notification':
        return this.#notification(payload)
      case 'skills:changed':
        return { ...payload, skills: this.#skills(session_id, payload['skills']) }
      default:
        return payload
    }
  }

  chatEnd(session_id: string, end: ChatEndPayload): ChatEndPayload {
    const { error, pause_tool_data } = end
    return {
      ...end,
      ...(error && { error: this.#error(error) }),
      ...(pause_tool_data && { pause_tool_data: this.question(session_id, pause_tool_data) }),
    }
  }

  /** What a tool is called, for people; `undefined` for one that only brought its own name. */
  toolName(session_id: string, tool_name: string): string | undefined {
    return this.#name(session_id, tool_name)
  }

  /** A question that waits, if it is one of ours. */
  question(session_id: string, asked: PendingQuestion): PendingQuestion {
    const given = this.#consent(session_id, asked.arguments)
    return given === asked.arguments ? asked : { ...asked, arguments: given }
  }

  #error<Error extends Record<string, unknown>>(error: Error): Error {
    const { code, message } = error
    return typeof message === 'string' ? { ...error, message: errorWords(code, message, this.reader) } : error
  }

  #notification(payload: Record<string, unknown>): Record<string, unknown> {
    const { language, audience } = this.reader
    const isRetry = payload['notification_type'] === 'llm:retry'
    if (isRetry && audience === 'visitor')
      return { ...payload, title: say('retry.plain', language), detail: say('retry.plainDetail', language) }
    const words = (text: unknown) => (typeof text === 'string' ? (reword(text, 'notice', language) ?? text) : text)
    return { ...payload, title: words(payload['title']), detail: words(payload['detail']) }
  }

  #skills(session_id: string, skills: unknown): unknown {
    if (!Array.isArray(skills)) return skills
    return skills.map((skill: unknown) => {
      const called = isObject(skill) ? skill['display_name'] : undefined
      return typeof called === 'string'
        ? { ...(skill as object), display_name: this.#name(session_id, called) ?? called }
        : skill
    })
  }

  #patch(session_id: string, type: unknown, data: unknown): unknown {
    if (typeof data !== 'object' || data === null) return data
    if (type === 'add_tool_call') return this.#call(session_id, data as ToolCallProjection)
    if (type === 'tool_result') return this.#withResult(session_id, data as { result: unknown })
    return type === 'add_content' ? this.#block(session_id, data as ContentBlock) : data
  }

  #call<Call extends Pick<ToolCallProjection, 'tool_name' | 'display_name' | 'arguments'> & { result?: unknown }>(
    session_id: string,
    call: Call,
  ): Call {
    const display_name = this.#name(session_id, call.tool_name) ?? call.display_name
    const named = display_name === call.display_name ? call : { ...call, display_name }
    return this.#withResult(session_id, this.#withQuestion(session_id, named))
  }

  #withQuestion<Call extends { tool_name: string; arguments: string }>(session_id: string, call: Call): Call {
    if (!isQuestion(call.tool_name) || !call.arguments.includes('"confirmation"')) return call
    const given = parseArguments(call.arguments)
    const words = this.#consent(session_id, given)
    return words === given ? call : { ...call, arguments: JSON.stringify(words) }
  }

  #withResult<Part extends { result?: unknown }>(session_id: string, part: Part): Part {
    const result = this.#result(session_id, part.result)
    return result === part.result ? part : { ...part, result }
  }

  #block(session_id: string, block: ContentBlock): ContentBlock {
    const { tool_name } = block
    const name = tool_name ? (this.#name(session_id, tool_name) ?? block.display_name) : block.display_name
    const named = name === block.display_name ? block : { ...block, display_name: name }
    const content = this.#content(session_id, block)
    return content === block.content ? named : ({ ...named, content } as ContentBlock)
  }

  #content(session_id: string, { type, tool_name, content }: ContentBlock): unknown {
    const { language } = this.reader
    if (type === 'system_notification')
      return typeof content === 'string' ? (reword(content, 'notice', language) ?? content) : content
    if (type === 'tool_result') return this.#result(session_id, content)
    if (type === 'tool_use' && tool_name && isQuestion(tool_name) && isObject(content))
      return this.#consent(session_id, content)
    if (type === 'ask_user_answer' && isObject(content)) return this.#withAnswers(session_id, content)
    return content
  }

  /** What a call came to: a word of ours for one that did not run, or what people chose when we asked for consent. */
  #result(session_id: string, result: unknown): unknown {
    const { language, audience } = this.reader
    if (typeof result === 'string') {
      if (audience === 'visitor' && isForOperators(result, 'result')) return say('result.plain', language)
      return reword(result, 'result', language) ?? result
    }
    return isObject(result) ? this.#withAnswers(session_id, result) : result
  }

  #withAnswers(session_id: string, content: Record<string, unknown>): Record<string, unknown> {
    const { answers } = content
    if (!Array.isArray(answers)) return content
    const words = mapped(answers as QuestionAnswer[], (answer) => this.#answer(session_id, answer))
    return words === answers ? content : { ...content, answers: words }
  }

  /** Only to a question of ours: others ask with words of their own, and answers belong to them. */
  #answer(session_id: string, answer: QuestionAnswer): QuestionAnswer {
    const { language } = this.reader
    const words = (text: unknown) => (typeof text === 'string' ? reword(text, 'notice', language) : undefined)
    const header = isObject(answer) ? words(answer.header) : undefined
    const called = header === say('consent.header', language) ? calledIn(answer.question) : undefined
    if (header === undefined || called === undefined) return answer
    const name = this.#name(session_id, called) ?? called
    return {
      ...answer,
      question: say('consent.question', language, { name }),
      header,
      selected: answer.selected.map((label) => words(label) ?? label),
    }
  }

  /** The arguments of a question; anew where it shows a confirmation. */
  #consent(session_id: string, given: Record<string, unknown>): Record<string, unknown> {
    const { confirmation, questions } = given
    if (!isObject(confirmation) || !Array.isArray(questions) || !isObject(questions[0])) return given
    const { language, mayDecide = true } = this.reader
    const tool_name = String(confirmation['tool_name'])
    const [asked] = questions as [Record<string, unknown>]
    // A name that its author gave stands in the question itself.
    const name = this.#name(session_id, tool_name) ?? calledIn(asked['question']) ?? tool_name
    const labels = [say('consent.approve', language), say('consent.reject', language)]
    const options = (Array.isArray(asked['options']) ? asked['options'] : []).map((option: object, index) => ({
      ...option,
      ...(index < labels.length && { label: labels[index] }),
    }))
    const question = {
      ...asked,
      question: say('consent.question', language, { name }),
      header: say('consent.header', language),
      options,
    }
    const card = mayDecide ? confirmation : { ...confirmation, may_decide: false }
    return { ...given, confirmation: card, questions: [question, ...questions.slice(1)] }
  }

  #name(session_id: string, tool_name: string): string | undefined {
    return this.#nameOf(session_id, tool_name)?.[this.reader.language]
  }
}

/** What a question for consent calls its tool. */
function calledIn(question: unknown): string | undefined {
  return typeof question === 'string' ? /[“「](.*)[”」]/s.exec(question)?.[1] : undefined
}

function isQuestion(tool_name: string): boolean {
  return isSpecialTool(tool_name, 'AskUserQuestion')
}

function isTurnLike(payload: Record<string, unknown>): boolean {
  return [payload['tool_calls'], payload['blocks']].every((list) => Array.isArray(list) && list.every(isObject))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same list when nothing in it changed. */
function mapped<T>(list: T[], change: (item: T) => T): T[] {
  const changed = list.map(change)
  return changed.some((item, index) => item !== list[index]) ? changed : list
}
