import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNode } from '@parley/testkit'
import { expect, test } from 'vitest'
import {
  chatOnTheCommandLine,
  killIt,
  mintToken,
  readReadme,
  sayHello,
  seeItSurvive,
  type Site,
  talkByCurl,
} from './walk/follow-readme.ts'

// The README in this working copy. `npm run walk` does the same in a fresh clone, and begins with `npm start`.

const ROOT = join(import.meta.dirname, '..')

async function openSite() {
  const directory = await mkdtemp(join(tmpdir(), 'parley-readme-'))
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  const start = async (port: number) => {
    const server = startNode(join(ROOT, 'packages/server/bundle/main.js'), [], {
      env: { PARLEY_PORT: `${port}` },
      cwd: directory,
    })
    const [, url] = await server.line(/listening on (http:\/\/[\d.:]+)/)
    return { url: url!, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }
  const remove = () => rm(directory, { recursive: true, force: true })
  return { directory, start, [Symbol.asyncDispose]: remove }
}

test.each([
  ['README.md', true],
  // The same commands: what takes half a minute is tried once.
  ['README.zh-CN.md', false],
])('what %s says to type does what it says', { timeout: 180_000 }, async (file, survives) => {
  await using place = await openSite()
  let session = ''
  let port = 0
  {
    await using server = await place.start(0)
    port = Number(new URL(server.url).port)
    const readme = await readReadme(join(ROOT, file), port)
    expect(readme.commands.map((line) => line.split(/ +#/)[0])).toEqual(['npm start', 'npm test'])
    const site: Site = { directory: place.directory, url: server.url, env: { ...process.env, LANG: 'en_US.UTF-8' } }
    await talkByCurl(readme, site)
    await mintToken(readme, site)
    await sayHello(readme, site)
    await chatOnTheCommandLine(site)
    if (!survives) return
    session = await killIt(readme, site)
  }
  await using server = await place.start(port)
  await seeItSurvive({ directory: place.directory, url: server.url, env: process.env }, session)
})
