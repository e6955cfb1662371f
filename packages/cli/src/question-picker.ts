/** Choosing an answer with arrow keys, as a pure state machine: a key comes in, the next state goes out. */
import type { Question } from '@parley/protocol'
import { printable } from './printable.ts'
import type { Style } from './terminal.ts'
import type { Words } from './words.ts'

export type Key = { name?: string | undefined; sequence?: string | undefined; ctrl?: boolean | undefined }

export type Picker = {
  readonly question: Question
  /** The line the cursor is on; the one after the last option is "something else". */
  readonly cursor: number
  readonly chosen: ReadonlySet<number>
  readonly isTyping: boolean
  readonly text: string
  /** Only the options count, no words of one's own. */
  readonly isClosed: boolean
}

export type Choice = { selected: number[]; custom: string }
/** A state to show, an answer, or neither: the user left the question. */
export type PickerStep = { picker: Picker } | { choice: Choice } | { left: 'skipped' | 'interrupted' }

/** `cursor`: what Enter alone would choose. */
export function newPicker(question: Question, { cursor = 0, isClosed = false } = {}): Picker {
  return { question, cursor, chosen: new Set(), isTyping: question.options.length === 0, text: '', isClosed }
}

export function pressKey(picker: Picker, key: Key): PickerStep {
  if (key.ctrl && key.name === 'c') return { left: 'interrupted' }
  return picker.isTyping ? typeKey(picker, key) : chooseKey(picker, key)
}

function chooseKey(picker: Picker, { name, sequence }: Key): PickerStep {
  const { question, cursor } = picker
  const lines = question.options.length + (picker.isClosed ? 0 : 1)
  const digit = Number(sequence)
  if (name === 'up') return { picker: { ...picker, cursor: (cursor + lines - 1) % lines } }
  if (name === 'down' || name === 'tab') return { picker: { ...picker, cursor: (cursor + 1) % lines } }
  if (name === 'escape') return { left: 'skipped' }
  if (name === 'space') return question.multiSelect ? { picker: toggled(picker) } : confirmed(picker)
  if (name === 'return' || name === 'enter') return confirmed(picker)
  if (digit >= 1 && digit <= lines) return { picker: { ...picker, cursor: digit - 1 } }
  return { picker }
}

function typeKey(picker: Picker, { name, sequence = '', ctrl }: Key): PickerStep {
  const hasOptions = picker.question.options.length > 0
  if (name === 'escape') return hasOptions ? { picker: { ...picker, isTyping: false } } : { left: 'skipped' }
  if (name === 'backspace') return { picker: { ...picker, text: withoutLast(picker.text) } }
  if (name === 'return' || name === 'enter')
    return picker.text.trim() ? { choice: { selected: [...picker.chosen], custom: picker.text } } : { picker }
  // Pasted text arrives as one key; control characters in it are no text.
  const typed = ctrl ? '' : sequence.replaceAll(/\p{Cc}/gu, '')
  return { picker: { ...picker, text: picker.text + typed } }
}

/** What looks like one character is taken back as one, also an emoji of many parts. */
function withoutLast(text: string): string {
  return text.slice(0, [...new Intl.Segmenter().segment(text)].at(-1)?.index ?? 0)
}

function toggled(picker: Picker): Picker {
  const { cursor, question } = picker
  if (cursor === question.options.length) return { ...picker, isTyping: true }
  const chosen = new Set(picker.chosen)
  if (!chosen.delete(cursor)) chosen.add(cursor)
  return { ...picker, chosen }
}

function confirmed(picker: Picker): PickerStep {
  const { cursor, chosen, question } = picker
  if (cursor === question.options.length) return { picker: { ...picker, isTyping: true } }
  if (!question.multiSelect) return { choice: { selected: [cursor], custom: '' } }
  return { choice: { selected: chosen.size > 0 ? [...chosen].sort((a, b) => a - b) : [cursor], custom: '' } }
}

/** The lines that show a picker. */
export function pickerLines(
  { question, cursor, chosen, isTyping, text, isClosed }: Picker,
  style: Style,
  words: Words,
): string[] {
  const { bold, dim, cyan } = style
  const title = [question.header, question.question].filter(Boolean).map((part) => printable(String(part)))
  const options = [
    ...question.options.map(({ label, description }) => ({ label, description })),
    ...(isClosed ? [] : [{ label: words.other, description: null }]),
  ]
  const lines = options.map(({ label, description }, index) => {
    const box = question.multiSelect && index < question.options.length ? (chosen.has(index) ? '◉ ' : '○ ') : ''
    const line = `${index === cursor ? '❯' : ' '} ${box}${printable(label)}`
    return `${index === cursor ? cyan(line) : line}${description ? dim(`  ${printable(description)}`) : ''}`
  })
  if (isTyping)
    return [bold(title.join(' – ')), ...(question.options.length > 0 ? lines : []), `${words.typeAnswer}${text}`]
  return [bold(title.join(' – ')), ...lines, dim(question.multiSelect ? words.pickMany : words.pickOne)]
}

/** An answer typed as a line: numbers of options, or words of one's own. null: nothing was said. */
export function typedChoice(question: Question, line: string): Choice | null {
  const text = line.trim()
  if (text === '') return null
  const numbers = text.split(/[\s,，、]+/).map(Number)
  const areOptions = numbers.every(
    (number) => Number.isInteger(number) && number >= 1 && number <= question.options.length,
  )
  if (!areOptions || (numbers.length > 1 && !question.multiSelect)) return { selected: [], custom: text }
  return { selected: [...new Set(numbers)].map((number) => number - 1), custom: '' }
}
