export type DocumentKind = 'markdown' | 'text' | 'html' | 'pdf'

const BY_TYPE: Record<string, DocumentKind> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
}
const BY_EXTENSION: Record<string, DocumentKind> = {
  ...{ md: 'markdown', markdown: 'markdown', mdown: 'markdown', mkd: 'markdown' },
  ...{ txt: 'text', text: 'text', rst: 'text', adoc: 'text', org: 'text', log: 'text', csv: 'text', tsv: 'text' },
  ...{ html: 'html', htm: 'html', xhtml: 'html', pdf: 'pdf' },
}
/** What senders say who do not know. */
const SAYS_NOTHING = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/x-download'])

/** What a file is, by its media type or, where that says nothing, its name. `undefined`: nothing that can be read. */
export function kindOf({ name, type = '' }: { name: string; type?: string }): DocumentKind | undefined {
  const bare = type.split(';')[0]!.trim().toLowerCase()
  const named = BY_EXTENSION[/\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '']
  if (SAYS_NOTHING.has(bare)) return named
  if (Object.hasOwn(BY_TYPE, bare)) return BY_TYPE[bare]
  // Many send Markdown as plain text.
  if (bare === 'text/plain' && named === 'markdown') return 'markdown'
  return bare.startsWith('text/') ? 'text' : undefined
}
