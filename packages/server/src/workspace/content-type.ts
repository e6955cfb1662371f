import { extname } from 'node:path'

/** What a browser may open. Whatever is not here is a download of bytes; source code is plain text, never a script. */
const TYPES: Record<string, string> = {
  ...ofAll('image/', {
    png: 'png',
    jpg: 'jpeg',
    jpeg: 'jpeg',
    gif: 'gif',
    webp: 'webp',
    avif: 'avif',
    bmp: 'bmp',
    ico: 'x-icon',
    svg: 'svg+xml',
  }),
  ...ofAll('audio/', { mp3: 'mpeg', wav: 'wav', ogg: 'ogg', m4a: 'mp4', flac: 'flac' }),
  ...ofAll('video/', { mp4: 'mp4', webm: 'webm', mov: 'quicktime' }),
  ...ofAll('application/', { pdf: 'pdf', zip: 'zip', gz: 'gzip', json: 'json; charset=utf-8' }),
  ...ofAll('text/', {
    html: 'html; charset=utf-8',
    htm: 'html; charset=utf-8',
    csv: 'csv; charset=utf-8',
    md: 'markdown; charset=utf-8',
  }),
}

const PLAIN_TEXT = new Set(
  (
    'txt log text ini toml yaml yml env conf cfg sh bash zsh fish py rb pl php java kt swift c h cc cpp hpp cs go rs lua r ' +
    'sql js mjs cjs jsx ts mts cts tsx vue svelte css scss less tex rst adoc diff patch tsv jsonl ndjson gitignore lock'
  ).split(' '),
)

/** These can carry scripts; they are always shown in a sandbox. */
const ACTIVE = new Set(['text/html; charset=utf-8', 'image/svg+xml'])

export function contentTypeOf(path: string): { contentType: string; isActive: boolean } {
  const extension = extname(path).slice(1).toLowerCase()
  const plain = PLAIN_TEXT.has(extension) ? 'text/plain; charset=utf-8' : 'application/octet-stream'
  const contentType = (Object.hasOwn(TYPES, extension) && TYPES[extension]) || plain
  return { contentType, isActive: ACTIVE.has(contentType) }
}

/** RFC 6266: an ASCII name for the old, the real one (RFC 5987) for the others. */
export function attachmentNamed(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}

function ofAll(prefix: string, kinds: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(kinds).map(([extension, kind]) => [extension, `${prefix}${kind}`]))
}
