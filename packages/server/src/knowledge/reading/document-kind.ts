export type DocumentKind = 'markdown' | 'text' | 'html' | 'pdf'

const TYPES: Record<Exclude<DocumentKind, 'text'>, string[]> = {
  markdown: ['text/markdown', 'text/x-markdown'],
  html: ['text/html', 'application/xhtml+xml'],
  pdf: ['application/pdf', 'application/x-pdf'],
}
const EXTENSIONS: Record<DocumentKind, string[]> = {
  markdown: ['md', 'markdown', 'mdown', 'mkd'],
  text: ['txt', 'text', 'rst', 'adoc', 'org', 'log', 'csv', 'tsv'],
  html: ['html', 'htm', 'xhtml'],
  pdf: ['pdf'],
}
/** What senders say who do not know. */
const SAYS_NOTHING = ['', 'application/octet-stream', 'binary/octet-stream', 'application/x-download']

/** What a file is, by its media type or, where that says nothing, its name. `undefined`: nothing that can be read. */
export function kindOf({ name, type = '' }: { name: string; type?: string }): DocumentKind | undefined {
  const bare = type.split(';')[0]!.trim().toLowerCase()
  const named = listed(EXTENSIONS, /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase())
  if (SAYS_NOTHING.includes(bare)) return named
  // Many send Markdown as plain text.
  if (bare === 'text/plain' && named === 'markdown') return 'markdown'
  return listed(TYPES, bare) ?? (bare.startsWith('text/') ? 'text' : undefined)
}

function listed<Kind extends DocumentKind>(lists: Record<Kind, string[]>, word = ''): Kind | undefined {
  return (Object.keys(lists) as Kind[]).find((kind) => lists[kind].includes(word))
}
