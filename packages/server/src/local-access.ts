import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Auth } from './auth/auth.ts'
import { writePrivateFile } from './write-private-file.ts'

/** A key for programs of the same user on this machine, such as the command line. */
const KEY_FILE = 'owner.key'
/** Who holds the data directory, and where it listens. */
const HOLDER_FILE = 'server.json'
const KEY_NAME = 'Command line on the server’s machine'

/** Leaves in the data directory, for its owner's eyes only, what a local program needs to talk to this server. */
export async function writeLocalAccess(dataDir: string, url: string, auth: Auth): Promise<void> {
  await writePrivateFile(join(dataDir, HOLDER_FILE), JSON.stringify({ pid: process.pid, url }))
  const file = join(dataDir, KEY_FILE)
  if (await isValid(file, auth)) return
  const { plaintext } = await auth.keys.create(auth.owner_id, KEY_NAME)
  await writePrivateFile(file, plaintext)
}

async function isValid(file: string, auth: Auth): Promise<boolean> {
  try {
    return (await auth.authenticate((await readFile(file, 'utf8')).trim())) !== undefined
  } catch {
    return false // not there yet
  }
}
