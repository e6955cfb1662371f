import { constants } from 'node:fs'
import { link, lstat, open, rm } from 'node:fs/promises'
import { extname } from 'node:path'
import { AgentError } from '@parley/protocol'
import { speakingOf } from './files/file-errors.ts'
import { type HeldDirectory, makeDirectory } from './files/held-directory.ts'
import { holdEntry } from './files/hold.ts'
import { openRegular } from './files/open-file.ts'
import { MAX_DEPTH } from './files/resolve-path.ts'
import { temporaryName } from './files/temporary-name.ts'
import { removeTree } from './remove-tree.ts'
import { walkTree } from './walk-tree.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
const NAMES_TRIED = 1_000
const MAX_ENTRIES = 10_000
const MAX_BYTES = 1024 ** 3
const CHUNK_BYTES = 256 * 1024

/** Copies a file or a directory beside itself, as `name_copy.ext`, `name_copy2.ext` … Links in it are left out. Returns the path. */
export async function copyEntry(workspace: string, path: string): Promise<string> {
  return speakingOf(path, async () => {
    await using entry = await holdEntry(workspace, path)
    const { directory, name } = entry
    const isDirectory = (await lstat(entry.at)).isDirectory()
    const above = entry.path.slice(0, entry.path.length - name.length)
    for (let number = 1; number <= NAMES_TRIED; number++) {
      const copy = copyName(name, number, isDirectory)
      const made = isDirectory
        ? await copyDirectory(directory, name, copy)
        : await copyFile(directory, { name, path }, copy)
      if (made) return above + copy
    }
    throw new AgentError('invalid_payload', `There are too many copies of ${path}.`)
  })
}

export function copyName(name: string, number: number, isDirectory: boolean): string {
  const extension = isDirectory ? '' : extname(name)
  return `${name.slice(0, name.length - extension.length)}_copy${number === 1 ? '' : number}${extension}`
}

/** `path`: for what is said of it. */
type Source = { name: string; path: string }
type Place = { directory: HeldDirectory; name: string }

/** `false`: the name is taken. */
async function copyFile(directory: HeldDirectory, { name, path }: Source, copy: string): Promise<boolean> {
  const temporary = temporaryName()
  try {
    await copyBytes({ directory, name, path }, { directory, name: temporary })
    // A second name is given only where there is none: what came to be there meanwhile stays.
    await link(directory.at(temporary), directory.at(copy))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(directory.at(temporary), { force: true })
  }
}

async function copyDirectory(directory: HeldDirectory, name: string, copy: string): Promise<boolean> {
  if (!(await makeDirectory(directory, copy))) return false
  try {
    await using from = await directory.child(name)
    await using to = await directory.child(copy)
    await copyTree(from, to)
    return true
  } catch (error) {
    await removeTree(directory, copy).catch(() => undefined)
    throw error
  }
}

async function copyTree(from: HeldDirectory, to: HeldDirectory): Promise<void> {
  let entries = 0
  let bytes = 0
  for await (const { directory, name, path, stats, isCut } of walkTree(from)) {
    if (stats.isFile()) bytes += stats.size
    if (++entries > MAX_ENTRIES || bytes > MAX_BYTES || isCut)
      throw new AgentError(
        'payload_too_large',
        `Only directories of up to ${MAX_ENTRIES} entries, ${MAX_DEPTH} levels and ${MAX_BYTES} bytes are copied.`,
      )
    await using target = await descend(to, path.split('/').slice(0, -1))
    if (stats.isDirectory()) await makeDirectory(target, name)
    else await copyBytes({ directory, name, path }, { directory: target, name })
  }
}

/** A handle of its own, also for no step at all: whoever gets it closes it. */
async function descend(directory: HeldDirectory, steps: readonly string[]): Promise<HeldDirectory> {
  let held = await directory.child('.')
  for (const step of steps) {
    await using above = held
    held = await above.child(step)
  }
  return held
}

async function copyBytes(from: Place & Source, to: Place): Promise<void> {
  const opened = await openRegular(from.directory, from.name, from.path)
  await using source = opened.handle
  await using target = await open(
    to.directory.at(to.name),
    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    opened.stats.mode & 0o777,
  )
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let copied = 0; copied <= MAX_BYTES;) {
    const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES)
    if (bytesRead === 0) break
    await target.write(chunk, 0, bytesRead)
    copied += bytesRead
  }
  await to.directory.giveToOwner(target)
}
