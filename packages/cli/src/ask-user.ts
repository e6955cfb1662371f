import { once } from 'node:events'
import { emitKeypressEvents } from 'node:readline'
import type { AskUserAnswer, PendingQuestion, Question } from '@parley/protocol'
import { askUserQuestionSchema } from '@parley/protocol/schemas'
import { oneLine, printable } from './printable.ts'
import { type Choice, type Key, newPicker, type Picker, pickerLines, pressKey, typedChoice } from './question-picker.ts'
import type { Terminal } from './terminal.ts'

/** Reads one line; null at the end of the input. */
export type ReadLine = (prompt: string) => Promise<string | null>

/** The answer to send, or how the user left the question. */
export type Answered = { answer: AskUserAnswer } | { left: 'skipped' | 'interrupted' }

/** Puts a waiting question to the user: with arrow keys on a terminal, else line by line. */
export async function askUser(pending: PendingQuestion, terminal: Terminal, readLine: ReadLine): Promise<Answered> {
  const parsed = askUserQuestionSchema.safeParse(pending.arguments)
  if (!parsed.success) return { left: 'skipped' } // A newer kind of question: a plain message still works.
  const { questions, source_loop, confirmation } = parsed.data
  const { words, output, style } = terminal
  if (source_loop) output.write(`${style.yellow(words.asks(printable(source_loop.description)))}\n`)
  if (confirmation) {
    output.write(`${style.yellow(words.confirm(printable(confirmation.tool_name), words.risk[confirmation.risk]))}\n`)
    output.write(`${printable(confirmation.preview || JSON.stringify(confirmation.arguments, null, 2))}\n`)
  }

  const answer: AskUserAnswer = { tool_call_id: pending.tool_call_id, selections: {}, custom: {} }
  for (const [index, question] of questions.entries()) {
    const choice = terminal.isInteractive
      ? await pick(confirmation ? consentTo(question, confirmation.risk) : newPicker(question), terminal)
      : await readChoice(question, terminal, readLine)
    if ('left' in choice) return choice
    if (choice.selected.length > 0) answer.selections[String(index)] = choice.selected
    if (choice.custom) answer.custom[String(index)] = choice.custom
  }
  return { answer }
}

/** Its preview stands above it. What Enter alone would choose is, of what is risky, the last option, which refuses. */
function consentTo(question: Question, risk: string): Picker {
  const options = question.options.map(({ label }) => ({ label, description: null }))
  const cursor = risk === 'high' ? Math.max(0, options.length - 1) : 0
  return newPicker({ ...question, options }, { cursor, isClosed: options.length > 0 })
}

type Left = { left: 'skipped' | 'interrupted' }

async function readChoice(question: Question, { words, output }: Terminal, readLine: ReadLine): Promise<Choice | Left> {
  const options = question.options.map(({ label }, index) => `  ${index + 1}. ${printable(label)}\n`)
  output.write(`${printable(question.question)}\n${options.join('')}`)
  const line = await readLine(words.typeNumber)
  return (line === null ? null : typedChoice(question, line)) ?? { left: 'skipped' }
}

async function pick(first: Picker, { input, output, style, words }: Terminal): Promise<Choice | Left> {
  const { question } = first
  let picker = first
  let height = 0
  const erase = () => {
    if (height > 0) output.write(`\x1b[${height}A\r\x1b[J`)
  }
  const draw = () => {
    const width = output.columns || 80
    const lines = pickerLines(picker, style, words)
    erase()
    output.write(`${lines.join('\n')}\n`)
    // A line longer than the terminal takes several of its rows.
    height = lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(visibleLength(line) / width)), 0)
  }

  emitKeypressEvents(input)
  input.setRawMode(true)
  input.resume()
  try {
    for (;;) {
      draw()
      const [, key] = (await once(input, 'keypress')) as [unknown, Key]
      const step = pressKey(picker, key)
      if ('picker' in step) {
        picker = step.picker
        continue
      }
      erase()
      output.write(`${summary(question, step, style)}\n`)
      return 'choice' in step ? step.choice : step
    }
  } finally {
    input.setRawMode(false)
    input.pause()
  }
}

function summary(question: Question, step: { choice: Choice } | Left, style: Terminal['style']): string {
  const labels = 'choice' in step ? step.choice.selected.map((index) => question.options[index]?.label ?? '') : []
  const said = 'choice' in step ? [...labels, step.choice.custom].filter(Boolean).join(', ') : '–'
  return `${style.dim('?')} ${oneLine(question.question)} ${style.cyan(printable(said))}`
}

function visibleLength(line: string): number {
  // oxlint-disable-next-line no-control-regex -- our own colours take no place
  return line.replaceAll(/\x1b\[\d+m/g, '').length
}
