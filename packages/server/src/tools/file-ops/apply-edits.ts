import { AgentError } from '@parley/protocol'

export type TextEdit = { old_string: string; new_string: string; replace_all?: boolean | undefined }

/** How many lines a refusal names. */
const LINES_NAMED = 5

/**
 * Applies all edits in order, or throws and says which one does not fit and why. Models write `\n`: in a file whose
 * every line ends in `\r\n` that means `\r\n`, and the file keeps its endings.
 */
export function applyEdits(
  text: string,
  edits: readonly TextEdit[],
  path: string,
): { changed: string; replaced: number } {
  const isWindows = text.includes('\r\n') && !/(?<!\r)\n/.test(text)
  const unix = (value: string) => (isWindows ? value.replaceAll('\r\n', '\n') : value)
  let changed = unix(text)
  let replaced = 0
  for (const [index, edit] of edits.entries()) {
    const which = edits.length === 1 ? 'old_string' : `edits[${index}].old_string`
    const [old, fresh] = spelled(changed, unix(edit.old_string), unix(edit.new_string))
    const count = demandMatches({ text: changed, old, fresh, path, which, all: edit.replace_all ?? false })
    changed = changed.split(old).join(fresh)
    replaced += count
  }
  return { changed: isWindows ? changed.replaceAll('\n', '\r\n') : changed, replaced }
}

/** In a file with mixed endings the lines meant may be those that end in `\r\n`. */
function spelled(text: string, old: string, fresh: string): [string, string] {
  if (text.includes(old) || !text.includes('\r\n')) return [old, fresh]
  const windows = (value: string) => value.replaceAll(/\r?\n/g, '\r\n')
  return text.includes(windows(old)) ? [windows(old), windows(fresh)] : [old, fresh]
}

type Asked = { text: string; old: string; fresh: string; path: string; which: string; all: boolean }

function demandMatches({ text, old, fresh, path, which, all }: Asked): number {
  const lines = linesOfMatches(text, old)
  if (lines.length === 0)
    throw new AgentError(
      'invalid_payload',
      `${which} was found 0 times in ${path}; nothing was changed. ${hintFor(text, old)}`,
    )
  if (old === fresh)
    throw new AgentError('invalid_payload', `${which} and its new_string are the same; nothing was changed.`)
  if (lines.length > 1 && !all)
    throw new AgentError(
      'invalid_payload',
      `${which} was found ${lines.length} times in ${path} (lines ${named(lines)}); nothing was changed. Add surrounding text until it is unique, or set replace_all.`,
    )
  return lines.length
}

/** The first line of each match, counted as `split` counts matches: from the left, without overlap. */
function linesOfMatches(text: string, old: string): number[] {
  const lines: number[] = []
  let line = 1
  let from = 0
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + old.length)) {
    for (let end = text.indexOf('\n', from); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line++
    from = at
    lines.push(line)
  }
  return lines
}

function named(lines: readonly number[]): string {
  return lines.slice(0, LINES_NAMED).join(', ') + (lines.length > LINES_NAMED ? ', …' : '')
}

/** The usual mistake is white space. */
function hintFor(text: string, old: string): string {
  const wanted = old
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const loose = wanted.length < 200 ? new RegExp(wanted.join(String.raw`\s+`)).exec(text) : null
  if (!loose || old.trim() === '') return 'Read the file and copy the text exactly.'
  const line = text.slice(0, loose.index).split('\n').length
  return `Line ${line} has it with other white space; copy the text exactly.`
}
