import type { QuestionAnswer } from '@parley/protocol'
import { parseBoundedJson } from '@parley/protocol/wire'
import { ASK } from '../../core/offer.ts'
import type { ModelMessage } from '../../ports.ts'
import { shorten } from './compacted.ts'

/** What a summary must not lose, found without a model. Newest first, each list with an end. */
export type Keepsakes = {
  /** What is still to be done. */
  tasks: string[]
  /** What people answered when they were asked. */
  decisions: string[]
  paths: string[]
  ids: string[]
  /** What users demanded, in their own words. */
  words: string[]
  /** Most of what users wrote is Chinese. */
  isChinese: boolean
}

const MOST = { tasks: 30, decisions: 30, paths: 40, ids: 40, words: 20 }
/** Which part of the room each kind may fill. */
const SHARE = { tasks: 0.2, decisions: 0.2, paths: 0.2, ids: 0.1, words: 0.3 }
/** Of one text, this much is looked at from either end: the rest is a file, not something that was said. */
const LOOKED_AT = 20_000
/** Longer sentences are told by the summary; a demand is short. */
const LONGEST_WORDS = 300
const ANSWERED = ' → '

const PATH =
  /(?<![\w@/:.-])(?:~|\.{1,2})?(?:\/[\w@.+-]+){2,}|(?<![\w@/:.-])(?:[\w@.+-]+\/)+[\w@+-]+\.[A-Za-z0-9]{1,8}\b|\b[A-Za-z]:\\[\w.\\-]+|(?<![\w@/:.-])[\w-]+\.(?:[cm]?[jt]sx?|py|go|rs|java|md|json|ya?ml|toml|sql|csv|xlsx|docx?|pdf|html|css|sh|txt)\b/g
const ID =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[a-z]{2,12}_[0-9A-Za-z]{6,}\b|\b[A-Z]{2,10}-\d+(?:-\d+)*\b|(?<!\w)#\d{1,8}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\b\d{6,20}\b/g
const DEMAND =
  /\b(?:must|never|always|don['’]t|do not|only|remember|please keep|important|make sure|prefer|decided?|agreed?|instead)\b|必须|务必|一定|不要|不能|不许|别|只能|只用|记住|请用|总是|永远|重要|决定|改用|优先|确保|要求/i
const OPEN_TASK = /^\s*[-*] \[ \] (.+)$/gm

/** `tasks`: those of the session's list that are not done. `characters`: the room there is for all of it. */
export function keepsakesOf(
  messages: readonly ModelMessage[],
  { tasks, characters }: { tasks: readonly string[]; characters: number },
): Keepsakes {
  const said: string[] = []
  const users: string[] = []
  const decisions: string[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      if (message.tool_name === ASK) decisions.push(...answersIn(message.text))
      continue
    }
    for (const part of message.content) {
      if (part.type === 'text') said.push(shorten(part.text, LOOKED_AT))
      if (part.type === 'text' && message.role === 'user') users.push(shorten(part.text, LOOKED_AT))
      if (part.type === 'tool_call') said.push(shorten(part.arguments, LOOKED_AT))
    }
  }
  const spoken = users.join('\n')
  const all = said.join('\n')
  const newest = (kind: keyof typeof MOST, items: readonly string[]) =>
    fitting([...new Set(items.toReversed())].slice(0, MOST[kind]), characters * SHARE[kind])
  return {
    tasks: newest('tasks', [...[...all.matchAll(OPEN_TASK)].map(([, task]) => task!.trim()), ...tasks]),
    decisions: newest('decisions', decisions),
    paths: newest('paths', all.match(PATH) ?? []),
    ids: newest('ids', all.match(ID) ?? []),
    words: newest('words', sentencesIn(spoken).filter(isDemand)),
    isChinese: share(spoken) > 0.2,
  }
}

/** What of it a text has not kept. A demand may stand there in other words, if most of them are its own. */
export function missingIn(summary: string, keepsakes: Keepsakes): Keepsakes {
  const flat = flatten(summary)
  const lacks = (item: string) => !flat.includes(flatten(item))
  const { tasks, decisions, paths, ids, words, isChinese } = keepsakes
  return {
    tasks: tasks.filter(lacks),
    decisions: decisions.filter((decision) => !tells(flat, decision)),
    paths: paths.filter(lacks),
    ids: ids.filter(lacks),
    words: words.filter((item) => lacks(item) && likeness(item, flat) < 0.6),
    isChinese: isChinese && share(summary) < 0.1,
  }
}

export function isEmpty({ isChinese, ...lists }: Keepsakes): boolean {
  return !isChinese && Object.values(lists).every(({ length }) => length === 0)
}

function isDemand(sentence: string): boolean {
  return sentence.length <= LONGEST_WORDS && DEMAND.test(sentence)
}

function sentencesIn(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|(?<=[。！？；])|\n+/)
    .map((sentence) => sentence.trim())
    .filter(Boolean)
}

/** Each with what was asked: an answer alone says little. */
function answersIn(text: string): string[] {
  const { answers } = (parseBoundedJson(text) ?? {}) as { answers?: unknown }
  return (Array.isArray(answers) ? (answers as Partial<QuestionAnswer>[]) : []).flatMap((answer) => {
    const said = [...(answer?.selected ?? []), answer?.custom ?? ''].filter(Boolean).join(', ')
    const decision = `${answer?.question ?? ''}${ANSWERED}${said}`
    return said === '' || decision.length > LONGEST_WORDS ? [] : [decision]
  })
}

/** The answer as it was given, and most words of the question. */
function tells(flat: string, decision: string): boolean {
  const [question = '', said = ''] = decision.split(ANSWERED)
  return flat.includes(flatten(said)) && (likeness(question, flat) >= 0.5 || flatten(said).length >= 8)
}

function fitting(items: readonly string[], characters: number): string[] {
  let room = characters
  return items.filter(({ length }) => (room -= length) >= 0)
}

function flatten(text: string): string {
  return text.replace(/\s+/g, ' ').toLowerCase()
}

/** How much of a text is Chinese. */
function share(text: string): number {
  const letters = text.match(/[\p{L}]/gu)?.length ?? 0
  return letters === 0 ? 0 : (text.match(/\p{Script=Han}/gu)?.length ?? 0) / letters
}

/** Which part of its words, or of its pairs of Chinese characters, another text has. */
function likeness(sentence: string, text: string): number {
  const flat = flatten(sentence)
  const han = [...flat.matchAll(/(?=(\p{Script=Han}{2}))/gu)].map(([, pair]) => pair!)
  const pieces = [...(flat.match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter((word) => !/\p{Script=Han}/u.test(word)), ...han]
  return pieces.length === 0 ? 0 : pieces.filter((piece) => text.includes(piece)).length / pieces.length
}
