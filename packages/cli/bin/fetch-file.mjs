// One file of a package, without the rest of it and without what it depends on. Old enough JavaScript for Node 20.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * npm fetches `name@version` from the registry it is configured for, what it brought is compared with `integrity`, and
 * `file` of it is moved to `to`, whole or not at all. Throws with what npm said.
 */
export async function fetchFile({ name, version, integrity, file, to }) {
  await mkdir(dirname(to), { recursive: true })
  // Beside its place: from elsewhere it could not be moved in one go.
  const folder = await mkdtemp(`${to}-`)
  try {
    const shell = process.platform === 'win32'
    const args = ['pack', `${name}@${version}`, '--loglevel=error', '--pack-destination', folder]
    await run('npm', args, { cwd: folder, shell })
    const packed = join(folder, `${name}-${version}.tgz`)
    const hash = createHash('sha512').update(await readFile(packed))
    const found = `sha512-${hash.digest('base64')}`
    if (found !== integrity) throw new Error(`${name} ${version} is not the package we know: ${found}`)
    await run('tar', ['-xzf', basename(packed), `package/${file}`], { cwd: folder })
    await rename(join(folder, 'package', file), to)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
