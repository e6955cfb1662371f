import { askUserQuestionSchema } from '@parley/protocol/schemas'
import { isTextDeeper, MAX_JSON_DEPTH, parseBoundedJson } from '@parley/protocol/wire'
import type { JsonObject, JsonValue } from '../ports.ts'

/**
 * What a model meant with the arguments of the loop's own tools. Small slips whose meaning is plain are put right here, and
 * nowhere else: `null` for what may be left out, one thing instead of a list of one, words instead of an option.
 */

/**
 * The question as people get it, or `undefined` when it makes no sense. Who asks is ours to say, and only we can ask for
 * consent, whatever the model wrote; one that was well written is otherwise left as it is.
 */
export function questionIn(text: string, source_loop: JsonValue): JsonObject | undefined {
  const given = parseJson(text)
  const asked = isObject(given) && given['questions'] !== undefined ? given : { questions: given ?? null }
  const { source_loop: _claimed, confirmation: _forged, questions, ...more } = asked
  const question = { ...more, questions: listOf(questions ?? null)?.map(plainQuestion) ?? null, source_loop }
  return askUserQuestionSchema.safeParse(question).success ? question : undefined
}

export type AgentInput = { description: string; prompt: string; tools: string[] | null; model: string | null }

/** `undefined` when there is nothing to do, or when nobody can tell which tools it is limited to. */
export function agentIn(text: string): AgentInput | undefined {
  const given = parseJson(text)
  if (!isObject(given)) return undefined
  const { description, prompt, tools = null, model } = given
  const task = [prompt, description].find(isText)
  const names = tools === null ? null : listOf(tools)
  if (task === undefined || (tools !== null && !names?.every(isText))) return undefined
  return {
    description: isText(description) ? description : '',
    prompt: task,
    tools: names as string[] | null,
    model: isText(model) ? model : null,
  }
}

/** What a model wrote as JSON; `undefined` when it is none, or nests too deep. Nothing at all counts as no arguments. */
export function parseJson(text: string): JsonValue | undefined {
  return parseBoundedJson(text === '' ? '{}' : text) as JsonValue | undefined
}

/** Tells the model why its arguments could not be read. */
export function whyUnreadable(name: string, text: string): string {
  if (!isTextDeeper(text)) return `The arguments of ${name} are not valid JSON.`
  return `The arguments of ${name} nest deeper than ${MAX_JSON_DEPTH} levels. Nothing was done; write them flatter.`
}

function plainQuestion(value: JsonValue): JsonValue {
  if (isText(value)) return { question: value, options: [] }
  if (!isObject(value)) return value
  const { header, options, multiSelect } = value
  return {
    ...value,
    ...(header !== undefined && !isText(header) && { header: null }),
    ...(options !== undefined && { options: options === null ? [] : (listOf(options)?.map(plainOption) ?? options) }),
    ...((multiSelect === 'true' || multiSelect === 'false') && { multiSelect: multiSelect === 'true' }),
  }
}

function plainOption(value: JsonValue): JsonValue {
  if (typeof value === 'string' || typeof value === 'number') return { label: String(value) }
  if (!isObject(value) || value['description'] === undefined || isText(value['description'])) return value
  return { ...value, description: null }
}

/** A list, also as JSON text; anything else is the only member of one. */
function listOf(value: JsonValue): JsonValue[] | undefined {
  if (value === null) return undefined
  if (Array.isArray(value)) return value
  const list = typeof value === 'string' && value.trimStart().startsWith('[') ? parseJson(value) : undefined
  return Array.isArray(list) ? list : [value]
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
