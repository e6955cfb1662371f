import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/** Replaces a file that only this user may read, whole or not at all: a full disk must not leave half a key. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  // Servers that share a database may share the directory, and start at the same moment.
  const temporary = `${path}.${randomUUID()}.next`
  try {
    {
      await using file = await open(temporary, 'wx', 0o600)
      await file.writeFile(text)
      await file.sync()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}
