import type { ChatMessage } from '../../model/chat-message.ts'
import { RoleType } from '../../model/role.ts'
import type { ToolBlock } from '../../model/tool-block.ts'
import { formatValue } from '../texts/format.ts'

/** A message as plain text: what was written, and of tools their title, input and output. */
export function clipboardText({ content }: Pick<ChatMessage, 'content'>): string {
  const parts = content.map((block) => {
    if (typeof block.content === 'string') return block.content
    if (block.type !== 'Tool') return ''
    const { title, name, input, output } = (block as ToolBlock).content
    return [title || name, ...[input, output].filter((value) => value !== undefined).map(formatValue)].join('\n')
  })
  return parts.filter(Boolean).join('\n\n')
}

const KEPT = new Set(['href', 'colspan', 'rowspan', 'start', 'src', 'alt'])

/** What is drawn, as HTML for word processors: the same elements, without controls, classes and frames. */
export function clipboardHtml(body: Element): string {
  const copy = body.cloneNode(true) as Element
  for (const control of copy.querySelectorAll(
    'button, iframe, svg, .ck-code-head, .ck-link-host, .ck-hidden, [hidden]',
  ))
    control.remove()
  for (const element of copy.querySelectorAll('*'))
    for (const { name } of [...element.attributes]) if (!KEPT.has(name)) element.removeAttribute(name)
  return copy.innerHTML
}

export const isUserMessage = (message: ChatMessage): boolean => message.role.type === RoleType.User

/** Both forms at once: word processors take the second. `undefined` where only plain text can be written. */
export function writeBoth(text: string, html: string): (() => Promise<void>) | undefined {
  if (typeof ClipboardItem === 'undefined' || html === '') return undefined
  const part = (type: string, value: string) => ({ [type]: new Blob([value], { type }) })
  return () =>
    navigator.clipboard.write([new ClipboardItem({ ...part('text/plain', text), ...part('text/html', html) })])
}
