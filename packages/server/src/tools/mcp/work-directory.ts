import { mkdir, readlink, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AgentVersion } from '../../agents/agent-version.ts'

/**
 * Makes a directory in which a program finds the files of its version, each as a link, and may write: the folders are its
 * own, and stay from one start to the next. A file of the version that it has replaced there is the version's again.
 */
export async function makeWorkDirectory(
  { directory, files }: Pick<AgentVersion, 'directory' | 'files'>,
  at: string,
): Promise<void> {
  await mkdir(at, { recursive: true, mode: 0o700 })
  for (const path of files) {
    const [target, link] = [join(directory, path), join(at, path)]
    if ((await readlink(link).catch(() => undefined)) === target) continue
    await mkdir(dirname(link), { recursive: true, mode: 0o700 })
    await rm(link, { recursive: true, force: true })
    await symlink(target, link).catch((error: NodeJS.ErrnoException) => {
      // Another instance that shares the directory was faster.
      if (error.code !== 'EEXIST') throw error
    })
  }
}
