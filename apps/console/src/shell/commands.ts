export type Command = {
  id: string
  label: string
  /** What kind of thing it is, where that is not plain. */
  group?: string
  shortcut?: string
  /** What else people type for it: its English name, the initials of its pinyin. */
  keywords?: string
  run: () => void
}

/** Any part of the label or of a keyword, or the initials of the label's words. */
export function matches({ label, keywords = '' }: Command, typed: string): boolean {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return true
  const text = `${label} ${keywords}`.toLowerCase()
  const initials = text
    .split(/[^\p{Letter}\p{Number}]+/u)
    .map((word) => word[0] ?? '')
    .join('')
  return text.includes(wanted) || initials.includes(wanted)
}
