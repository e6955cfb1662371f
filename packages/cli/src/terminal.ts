import type { Language } from './language.ts'
import { type Words, wordsOf } from './words.ts'

/** The world as a command sees it. */
export type Terminal = {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  errors: NodeJS.WriteStream
  environment: NodeJS.ProcessEnv
  language: Language
  words: Words
  /** People on both ends: prompts, arrow keys and colours make sense. */
  isInteractive: boolean
  /** A person reads the output in colour: Markdown is drawn. */
  hasColours: boolean
  style: Style
}

export type Style = Record<'dim' | 'bold' | 'italic' | 'red' | 'green' | 'cyan' | 'yellow', (text: string) => string>

const CODES: Record<keyof Style, [number, number]> = {
  dim: [2, 22],
  bold: [1, 22],
  italic: [3, 23],
  red: [31, 39],
  green: [32, 39],
  cyan: [36, 39],
  yellow: [33, 39],
}

type Streams = Pick<Terminal, 'input' | 'output' | 'errors' | 'environment' | 'language'>

export function createTerminal(streams: Streams): Terminal {
  const { input, output, environment, language } = streams
  const isInteractive = input.isTTY && output.isTTY
  const hasColours = output.isTTY && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb'
  return { ...streams, words: wordsOf(language), isInteractive, hasColours, style: createStyle(hasColours) }
}

export function createStyle(hasColours: boolean): Style {
  const paint =
    ([on, off]: [number, number]) =>
    (text: string) =>
      hasColours && text ? `\x1b[${on}m${text}\x1b[${off}m` : text
  return Object.fromEntries(Object.entries(CODES).map(([name, codes]) => [name, paint(codes)])) as Style
}
