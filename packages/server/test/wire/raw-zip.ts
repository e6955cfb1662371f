import { crc32, deflateRawSync } from 'node:zlib'

/** An entry as it is to be said, true or not. */
export type RawEntry = {
  name: string | Buffer
  content?: string | Buffer
  /** What the directory says of the unpacked size. */
  declared?: number
  crc?: number
  method?: number
  flags?: number
  /** Of a file on Unix, with its type. */
  mode?: number
  /** Where the directory says that it begins. */
  offset?: number
}

/** A ZIP whose directory says what the test wants. */
export function rawZip(entries: readonly RawEntry[]): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const { method = 8, flags = 0x800, mode = 0o100644 } = entry
    const name = Buffer.from(entry.name)
    const content = Buffer.from(entry.content ?? '')
    const packed = method === 8 ? deflateRawSync(content) : content
    const size = entry.declared ?? content.length
    const sum = entry.crc ?? crc32(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(sum, 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(entry.offset ?? at, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common, tail, name]))
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}
