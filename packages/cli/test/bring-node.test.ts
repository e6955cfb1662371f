import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

const SCRIPT = `
  const { bringNode } = await import('${join(import.meta.dirname, '../bin/bring-node.mjs')}')
  console.log(await bringNode().catch(({ message }) => message))`

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-node-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

test('a Node that was fetched once is used again without a word', async () => {
  await npm('exit 1')
  const name = `node-${process.platform}-${process.arch}`
  const place = join(home, 'parley', `${name}-24.21.0`)
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'node'), '')
  expect(await bring()).toEqual({ stdout: `${join(place, 'node')}\n`, stderr: '' })
})

test.skipIf(process.platform !== 'linux')(
  'a package that is not the one we know is refused, and nothing is kept',
  async () => {
    await npm('echo evil > "$5/$(echo $2 | tr @ -).tgz"')
    const { stdout, stderr } = await bring()
    expect(stderr).toMatch(/needs Node 24 or newer.*52 MB/)
    expect(stdout).toMatch(/cannot be fetched[^]*is not the package we know/)
    expect(await kept()).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')('where no registry can be reached, what npm said is said', async () => {
  await npm('echo "npm error code ENOTFOUND" >&2; exit 1')
  expect((await bring()).stdout).toMatch(/install it from nodejs.org[^]*ENOTFOUND/)
  expect(await kept()).toEqual([])
})

async function kept(): Promise<string[]> {
  const all = await readdir(join(home, 'parley'), { recursive: true, withFileTypes: true })
  return all.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** Stands in for npm. */
async function npm(commands: string): Promise<void> {
  await writeFile(join(home, 'npm'), `#!/bin/sh\n${commands}\n`)
  await chmod(join(home, 'npm'), 0o755)
}

function bring() {
  const env = { ...process.env, PATH: `${home}:${process.env['PATH']}`, XDG_CACHE_HOME: home }
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT], { env })
}
