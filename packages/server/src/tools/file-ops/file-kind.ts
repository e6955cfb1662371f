/** What the first bytes of a file say about it. */
export type FileKind =
  | { type: 'text'; encoding: 'utf-8' | 'unknown' }
  | { type: 'image'; media_type: string; width: number | null; height: number | null }
  | { type: 'binary'; name: string }

type Size = { width: number; height: number }

/** Formats that are told by how they begin, with their names for people. */
const BINARY_SIGNATURES: readonly [bytes: string, name: string][] = [
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive (or an Office document)'],
  ['\x1f\x8b', 'a gzip archive'],
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive'],
  ['\x7fELF', 'a program'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['\xff\xfe', 'UTF-16 text; convert it to UTF-8 first'],
  ['\xfe\xff', 'UTF-16 text; convert it to UTF-8 first'],
]

/** Looks at the beginning of a file; some 64 KiB find the size of nearly every JPEG. */
export function kindOfContent(start: Buffer): FileKind {
  const image = imageOf(start)
  if (image) return image
  const known = BINARY_SIGNATURES.find(([bytes]) =>
    start.subarray(0, bytes.length).equals(Buffer.from(bytes, 'latin1')),
  )
  if (known) return { type: 'binary', name: known[1] }
  if (start.includes(0)) return { type: 'binary', name: 'a binary file' }
  return { type: 'text', encoding: isUtf8(start) ? 'utf-8' : 'unknown' }
}

function imageOf(start: Buffer): FileKind | undefined {
  const text = start.toString('latin1', 0, 16)
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return image('image/png', start.length >= 24 && pngSize(start))
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a'))
    return image('image/gif', start.length >= 10 && { width: start.readUInt16LE(6), height: start.readUInt16LE(8) })
  if (text.startsWith('\xff\xd8\xff')) return image('image/jpeg', jpegSize(start))
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return image('image/webp', webpSize(start))
  return undefined
}

function image(media_type: string, size: Size | false | undefined): FileKind {
  return { type: 'image', media_type, width: (size && size.width) || null, height: (size && size.height) || null }
}

function pngSize(start: Buffer): Size {
  return { width: start.readUInt32BE(16), height: start.readUInt32BE(20) }
}

/** Walks the segments up to the frame header, which holds the size. */
function jpegSize(start: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= start.length && start[at] === 0xff; at += 2 + start.readUInt16BE(at + 2)) {
    const marker = start[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: start.readUInt16BE(at + 7), height: start.readUInt16BE(at + 5) }
  }
  return undefined
}

function webpSize(start: Buffer): Size | undefined {
  if (start.length < 30) return undefined
  const form = start.toString('latin1', 12, 16)
  if (form === 'VP8X') return { width: start.readUIntLE(24, 3) + 1, height: start.readUIntLE(27, 3) + 1 }
  if (form === 'VP8 ') return { width: start.readUInt16LE(26) & 0x3fff, height: start.readUInt16LE(28) & 0x3fff }
  if (form !== 'VP8L') return undefined
  const bits = start.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** A character may be cut at the end of what was read. */
function isUtf8(start: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
    return true
  } catch {
    return false
  }
}
