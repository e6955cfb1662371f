import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * One temporary directory for the whole run, and everything in it: names in the shared one may belong to somebody else.
 * Others may pass through it: PostgreSQL and some commands run as another user.
 */
export async function setup(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-test-'))
  await chmod(directory, 0o711)
  process.env['TMPDIR'] = directory
  return () => rm(directory, { recursive: true, force: true, maxRetries: 3 })
}
