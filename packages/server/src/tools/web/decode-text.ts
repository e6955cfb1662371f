const META_BYTES = 2_048

/**
 * Bytes of a page as text. A byte order mark says most, then the header, then the page itself; a page that says nothing
 * is UTF-8, or GB18030 where it cannot be that (old Chinese pages), or Windows-1252, which fits anything.
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? charsetIn(contentType, /charset\s*=\s*["']?([\w:.-]+)/i) ?? charsetInPage(bytes)
  return label ? decode(bytes, label, false) : decodeUnlabelled(bytes)
}

/** Bytes of a file that is no page: what it says about character sets is part of its text. */
export function decodePlainText(bytes: Uint8Array): string {
  const label = markOf(bytes)
  return label ? decode(bytes, label, false) : decodeUnlabelled(bytes)
}

function decodeUnlabelled(bytes: Uint8Array): string {
  for (const guess of ['utf-8', 'gb18030']) {
    try {
      return decode(bytes, guess, true)
    } catch {
      // Not that one.
    }
  }
  return decode(bytes, 'windows-1252', false)
}

function decode(bytes: Uint8Array, label: string, fatal: boolean): string {
  // As a stream: a character that the size limit cut in two is left out, not an error.
  return new TextDecoder(label, { fatal }).decode(bytes, { stream: true })
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return undefined
}

function charsetInPage(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, META_BYTES)).toString('latin1')
  const label =
    charsetIn(start, /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i) ??
    charsetIn(start, /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i)
  // What could be read as ASCII up to here is not UTF-16, whatever it says; browsers hold the same.
  return label?.startsWith('utf-16') ? 'utf-8' : label
}

/** The canonical name; nothing for a charset that nobody knows. */
function charsetIn(text: string, pattern: RegExp): string | undefined {
  const label = pattern.exec(text)?.[1]
  try {
    return label && new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}
