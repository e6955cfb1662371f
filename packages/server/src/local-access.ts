import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LOCAL_FILES } from '@parley/protocol/wire'
import type { Auth } from './auth/auth.ts'
import { writePrivateFile } from './write-private-file.ts'

const KEY_NAME = 'Command line on the server’s machine'

/** Leaves in the data directory, for its owner's eyes only, what a local program needs to talk to this server. */
export async function writeLocalAccess(dataDir: string, url: string, auth: Auth): Promise<void> {
  await writePrivateFile(join(dataDir, LOCAL_FILES.holder), JSON.stringify({ pid: process.pid, url }))
  const file = join(dataDir, LOCAL_FILES.key)
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
