import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNode } from '../../packages/testkit/src/index.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A directory in which the commands of the README work as in a clone, and servers of this working copy. */
export async function openSite() {
  const directory = await mkdtemp(join(tmpdir(), 'parley-readme-'))
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  // Some of the documents: all of them take a minute.
  await symlink(join(ROOT, 'docs/guide/en'), join(directory, 'docs'))
  const start = async (port: number, env: NodeJS.ProcessEnv = {}) => {
    const server = startNode(join(ROOT, 'packages/server/bundle/main.js'), [], {
      env: { PARLEY_PORT: `${port}`, ...env },
      cwd: directory,
    })
    const [, url] = await server.line(/listening on (http:\/\/[\d.:]+)/)
    return {
      url: url!,
      signInLink: async () => (await server.line(/(http\S+code=[\w&=/%.~-]+)/))[1]!,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  }
  const remove = () => rm(directory, { recursive: true, force: true })
  return { directory, start, [Symbol.asyncDispose]: remove }
}
