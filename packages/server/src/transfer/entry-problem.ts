import type { Entry } from 'yauzl'

const NAME_CHARACTERS = 1_000
const SEGMENT_BYTES = 255
const MAX_DEPTH = 50

const ENCRYPTED = 0x1 | 0x40 | 0x2000
const STORED = 0
const DEFLATED = 8
const MADE_BY_UNIX = 3
const FILE_TYPE = 0o170000
const REGULAR = 0o100000
const DIRECTORY = 0o040000

/** What is wrong with an entry of an archive, as the rest of a sentence about its name. */
export function entryProblem(entry: Entry): string | undefined {
  return nameProblem(entry.fileName) ?? kindProblem(entry)
}

export function isDirectory(name: string): boolean {
  return name.endsWith('/')
}

function nameProblem(name: string): string | undefined {
  if (name === '' || name.length > NAME_CHARACTERS || !name.isWellFormed()) return 'is no name of a file'
  if (/[\p{Cc}\\]/u.test(name)) return 'has a character that no name has'
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'is no relative path'
  const segments = name.replace(/\/$/, '').split('/')
  if (segments.some((segment) => ['', '.', '..'].includes(segment))) return 'leaves the directory'
  if (segments.length > MAX_DEPTH) return 'lies too deep'
  if (segments.some((segment) => Buffer.byteLength(segment) > SEGMENT_BYTES)) return 'is too long'
}

function kindProblem(entry: Entry): string | undefined {
  const { fileName, generalPurposeBitFlag: flags, compressionMethod, uncompressedSize } = entry
  if ((flags & ENCRYPTED) !== 0) return 'is encrypted'
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) return 'is packed in a way that is not read here'
  if (isDirectory(fileName) && uncompressedSize > 0) return 'is a directory with content'
  if (entry.versionMadeBy >>> 8 !== MADE_BY_UNIX) return undefined
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE
  if (type !== 0 && type !== (isDirectory(fileName) ? DIRECTORY : REGULAR))
    return 'is a link or something else that is no file'
}
