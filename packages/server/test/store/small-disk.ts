import { spawnSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of a few megabytes, which a test can fill. Only root may mount one. */
export type SmallDisk = Disposable & {
  path: string
  /** Takes all of the space, but for so many bytes. */
  fill(leaving?: number): void
  free(): void
}

export function smallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'parley-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'parley-test', path])
  if (mounted.status !== 0) {
    rmdirSync(path)
    throw new Error(`no disk could be mounted: ${mounted.stderr.toString()}`)
  }
  const filler = join(path, 'lost+found')
  return {
    path,
    fill(leaving = 0) {
      const file = openSync(filler, 'a')
      for (const size of [65_536, 4_096]) while (isWritten(file, Buffer.alloc(size))) continue
      if (leaving > 0) ftruncateSync(file, statSync(filler).size - leaving)
      closeSync(file)
    },
    free: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      // Lazily: a server that a failed test left behind must not keep it.
      spawnSync('umount', ['-l', path])
      rmdirSync(path)
    },
  }
}

/** Why tests on such a disk are left out, if they are. */
export const canMount = isMountable()

function isMountable(): boolean {
  try {
    smallDisk(1)[Symbol.dispose]()
    return true
  } catch {
    return false
  }
}

function isWritten(fd: number, bytes: Buffer): boolean {
  try {
    return writeSync(fd, bytes) === bytes.length
  } catch {
    return false
  }
}
