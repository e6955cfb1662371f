import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { AgentError } from '@parley/protocol'
import { speakingOf } from './file-errors.ts'
import { type HeldEntry, holdEntry, type MayTouch } from './hold.ts'
import { demandRegular } from './open-file.ts'
import { temporaryName } from './temporary-name.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

export type Replacement = {
  /** Writes the new content. */
  fill: (file: FileHandle) => Promise<void>
  /** What the new content was made from: another file there by now is `invalid_path`, and stays. */
  expected?: Stats
  /** As `HoldOptions` has it. */
  mayTouch?: MayTouch | undefined
}

/**
 * Gives a file of the workspace new content, at once: nobody ever sees half of it. Its mode is kept, directories on the
 * way are made. A new file takes the old one's place, so that a second name of it (a hard link), inside or outside,
 * keeps the old content. Returns the path relative to the workspace.
 */
export async function replaceFile(
  workspace: string,
  path: string,
  { fill, expected, mayTouch }: Replacement,
): Promise<string> {
  return speakingOf(path, async () => {
    await using entry = await holdEntry(workspace, path, { make: true, mayTouch })
    const old = await existing(entry.at)
    if (old) demandRegular(old, path)
    const temporary = entry.directory.at(temporaryName())
    try {
      await makeFile(entry, temporary, { old, fill })
      if (expected && !isSame(expected, await existing(entry.at)))
        throw new AgentError('invalid_path', `${path} was changed by something else meanwhile. Read it again.`)
      await rename(temporary, entry.at)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    return entry.path
  })
}

async function makeFile(
  { directory }: HeldEntry,
  temporary: string,
  { old, fill }: Pick<Replacement, 'fill'> & { old: Stats | undefined },
): Promise<void> {
  await using file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
  await fill(file)
  await directory.giveToOwner(file)
  if (old) await file.chmod(old.mode & 0o777)
  await file.datasync()
}

/** What is there, itself; `undefined` when nothing is. */
export async function existing(at: string): Promise<Stats | undefined> {
  try {
    return await lstat(at)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isSame(one: Stats, other: Stats | undefined): boolean {
  return other !== undefined && one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs
}
