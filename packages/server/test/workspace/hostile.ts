import { execFile } from 'node:child_process'
import { link, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const SECRET = 'the outside secret'

/** A workspace full of traps, and what they lead to. */
export type Trapped = AsyncDisposable & {
  workspace: string
  outside: string
  /** Everything outside, as it is now: must equal `untouched`. */
  lookOutside(): Promise<Record<string, string>>
  untouched: Record<string, string>
}

/** Paths that must not lead anywhere. The workspace is `…/workspace`, the place outside is `…/outside`. */
export const HOSTILE_PATHS: readonly [what: string, path: string][] = [
  ['the directory above', '..'],
  ['a way up', '../outside/secret.txt'],
  ['a way up with a dot first', './../outside/secret.txt'],
  ['a way up with doubled slashes', '..//outside//secret.txt'],
  ['a way down and up', 'deep/../../outside/secret.txt'],
  ['a way up through what does not exist', 'none/../../outside/secret.txt'],
  ['a long way up', `${'../'.repeat(60)}etc/passwd`],
  ['an absolute path', '/etc/passwd'],
  ['the process', '/proc/self/environ'],
  ['the root by way of the process', '/proc/self/root/etc/passwd'],
  ['a neighbour whose name begins the same', '../workspace-too/secret.txt'],
  ['a link to a file outside', 'link-file'],
  ['a link to that link', 'link-chain'],
  ['a file behind a link to a directory', 'link-dir/secret.txt'],
  ['a file behind a relative link', 'deep/link-up/secret.txt'],
  ['a new file behind a link', 'link-dir/new.txt'],
  ['a link to something outside that does not exist', 'link-dangling'],
  ['a new directory behind such a link', 'link-dangling/new.txt'],
  ['a link to itself', 'link-loop'],
  ['a link to a device', 'link-device'],
  ['a pipe', 'pipe'],
  ['a socket', 'socket'],
  ['a NUL', 'deep/inner.txt\0.png'],
  ['nothing but a NUL', '\0'],
  ['a name that is too long', 'x'.repeat(5_000)],
]

export async function setTraps(): Promise<Trapped> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'parley-hostile-')))
  const [workspace, outside, neighbour] = ['workspace', 'outside', 'workspace-too'].map((name) => join(base, name))
  for (const directory of [join(workspace!, 'deep'), outside!, neighbour!]) await mkdir(directory, { recursive: true })
  await writeFile(join(outside!, 'secret.txt'), SECRET)
  await writeFile(join(neighbour!, 'secret.txt'), SECRET)
  await writeFile(join(workspace!, 'deep/inner.txt'), 'inside')
  await link(join(outside!, 'secret.txt'), join(workspace!, 'hard-link.txt'))
  const links = {
    'link-file': join(outside!, 'secret.txt'),
    'link-chain': 'link-file',
    'link-dir': outside!,
    'deep/link-up': '../../outside',
    'link-dangling': join(outside!, 'absent'),
    'link-loop': 'link-loop',
    'link-device': '/dev/zero',
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(workspace!, name))
  await promisify(execFile)('mkfifo', [join(workspace!, 'pipe')])
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(workspace!, 'socket'), resolve))
  const lookOutside = async () => ({
    ...(await contents(outside!)),
    ...(await contents(neighbour!)),
  })
  return {
    workspace: workspace!,
    outside: outside!,
    lookOutside,
    untouched: await lookOutside(),
    async [Symbol.asyncDispose]() {
      server.close()
      await rm(base, { recursive: true, force: true })
    },
  }
}

async function contents(directory: string): Promise<Record<string, string>> {
  const files = await readdir(directory)
  return Object.fromEntries(
    await Promise.all(
      files.map(async (name) => [join(directory, name), await readFile(join(directory, name), 'utf8')]),
    ),
  ) as Record<string, string>
}
