import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  addDocuments,
  chatOnTheCommandLine,
  invite,
  killIt,
  mintToken,
  readReadme,
  sayHello,
  seeItSurvive,
  type Site,
  talkByCurl,
} from './walk/follow-readme.ts'
import { openSite } from './walk/open-site.ts'

// The README in this working copy. `npm run walk` does the same in a fresh clone, and begins with `npm start`.

const ROOT = join(import.meta.dirname, '..')

test.each([
  ['README.md', true],
  // The same commands: what has no words of its own is tried once.
  ['README.zh-CN.md', false],
])('what %s says to type does what it says', { timeout: 180_000 }, async (file, isWhole) => {
  await using place = await openSite()
  let session = ''
  let port = 0
  {
    await using server = await place.start(0)
    port = Number(new URL(server.url).port)
    const readme = await readReadme(join(ROOT, file), { port })
    expect(readme.commands.map((line) => line.split(/ +#/)[0])).toEqual(['npm start', 'npm test'])
    const site: Site = { directory: place.directory, url: server.url, env: { ...process.env, LANG: 'en_US.UTF-8' } }
    await talkByCurl(readme, site)
    await sayHello(readme, site)
    if (!isWhole) return
    await mintToken(readme, site)
    await invite(readme, site)
    await addDocuments(readme, site)
    await chatOnTheCommandLine(site)
    session = await killIt(readme, site)
  }
  await using server = await place.start(port)
  await seeItSurvive({ directory: place.directory, url: server.url, env: process.env }, session)
})

test('a server starts with each configuration in README.md, and has what it says', async () => {
  const { configurations } = await readReadme(join(ROOT, 'README.md'))
  const answers: { tools: string; models: string }[] = []
  for (const configuration of configurations) {
    await using place = await openSite()
    await writeFile(join(place.directory, 'parley.config.ts'), configuration)
    await using server = await place.start(0, { OIDC_SECRET: 'a secret of the provider', ANTHROPIC_API_KEY: 'a key' })
    const key = await readFile(join(place.directory, '.parley/owner.key'), 'utf8')
    const read = async (path: string) =>
      (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key.trim()}` } })).text()
    answers.push({ tools: await read('/api/tools'), models: await read('/api/config/models') })
  }
  const [functions, , , prices, last] = answers
  expect(functions!.tools).toContain('"refund_order"')
  expect(prices!.models).toMatch(/"id":"claude-sonnet-5-5"[^}]*\}?[^}]*"price":\{"input":3,/)
  expect(last!.tools).toMatch(/"WebSearch"/)
  expect(last!.tools).toMatch(/"name":"Bash"[^]*?"exceptions":\[\{[^}]*"decision":"deny"/)
})

test.each(['README.md', 'README.zh-CN.md'])(
  'the tag for a sign-in of one’s own in %s is that of its example',
  async (file) => {
    const { ownSignIn } = await readReadme(join(ROOT, file))
    const example = await readFile(join(ROOT, 'examples/own-sign-in.mjs'), 'utf8')
    const words = (text: string) => text.replaceAll(/\s/g, '').replaceAll('${PARLEY_URL}', 'http://127.0.0.1:8020')
    expect(words(example)).toContain(words(ownSignIn))
  },
)
