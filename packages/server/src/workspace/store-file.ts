import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { AgentError } from '@parley/protocol'
import { speakingOf } from './files/file-errors.ts'
import { holdDirectory } from './files/hold.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
const FOLDER = 'uploads'
const NAMES_TRIED = 1_000
/** File systems take 255 bytes; a character may have four, and a number may be added. */
const NAME_CHARACTERS = 60

/** Puts what somebody attached into `uploads`, under its own name, or with a number when that is taken. Returns its path. */
export async function storeFile(workspace: string, name: string, bytes: Buffer): Promise<string> {
  const clean = basename(name.replaceAll('\\', '/')).replaceAll('\0', '').replace(/^\.+/, '') || 'file'
  const extension = extname(clean).slice(0, 20)
  const stem = [...clean.slice(0, clean.length - extname(clean).length)].slice(0, NAME_CHARACTERS).join('')
  return speakingOf(FOLDER, async () => {
    await using folder = await holdDirectory(workspace, FOLDER, { make: true })
    for (let number = 1; number < NAMES_TRIED; number++) {
      const called = number === 1 ? `${stem}${extension}` : `${stem}-${number}${extension}`
      try {
        await using file = await open(folder.at(called), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        await folder.giveToOwner(file)
        await file.writeFile(bytes).catch(async (error: unknown) => {
          await rm(folder.at(called), { force: true })
          throw error
        })
        return `${FOLDER}/${called}`
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
    throw new AgentError('invalid_payload', `There are too many files named ${clean}.`)
  })
}
