import type { FileChange, InboxConfirmation, InboxItem } from '@parley/protocol/rest'
import { diffOf } from './diff-rows.ts'
import type { ApprovalWords } from './words.ts'

/** How a call is shown: a command, a file, or names and values. */
export type Kind = 'command' | 'file' | 'values'

export function kindOf({ tool_name, arguments: given }: InboxConfirmation): Kind {
  if (tool_name === 'Bash' && typeof given['command'] === 'string') return 'command'
  return (tool_name === 'Write' || tool_name === 'Edit') && typeof given['file_path'] === 'string' ? 'file' : 'values'
}

/** A change that can be shown as one. */
export function shownChange({ change }: InboxConfirmation): (FileChange & { after: string }) | undefined {
  return change && change.problem === null && change.after !== null ? { ...change, after: change.after } : undefined
}

/** In a list: what it is, and what it is about. */
export function briefOf(item: InboxItem, words: ApprovalWords): { name: string; about: string; isCode: boolean } {
  if (item.kind === 'question') {
    const name = item.source_loop ? words.questionBelow : words.question
    return { name, about: item.questions[0]?.question ?? '', isCode: false }
  }
  if (item.kind === 'tool') return { name: words.toolChanged, about: item.display_name || item.id, isCode: false }
  if (kindOf(item) === 'command')
    return { name: words.runCommand, about: item.arguments['command'] as string, isCode: true }
  if (kindOf(item) === 'values') return { name: item.display_name, about: item.preview, isCode: false }
  const name = item.tool_name === 'Edit' ? words.edit : words.write
  const path = item.arguments['file_path'] as string
  const change = shownChange(item)
  if (!change) return { name, about: path, isCode: false }
  const { added, removed } = diffOf(change.before, change.after)
  const size = change.before === null ? words.newFile(added) : words.lines(added, removed)
  return { name, about: words.fileBrief(path, size), isCode: false }
}

/** Over the sheet: what happens, never only "confirm". */
export function titleOf(item: InboxItem, words: ApprovalWords): string {
  if (item.kind === 'tool') return words.toolTitle(item.display_name || item.id)
  if (item.kind === 'question') return item.source_loop ? words.questionBelow : words.question
  const path = item.arguments['file_path'] as string
  if (kindOf(item) === 'command') return words.runCommand
  if (kindOf(item) === 'values') return item.display_name
  return item.tool_name === 'Edit' ? words.editTitle(path) : words.writeTitle(path)
}

/** In a list names do not matter: the session does; for tools their server. */
export function placeOf(item: InboxItem, words: ApprovalWords): string {
  return item.kind === 'tool' ? words.server(item.server) : item.intent
}
