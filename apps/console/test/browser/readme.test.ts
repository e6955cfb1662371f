/** What the README says of browsers. `npm run walk` does the same in a fresh clone. */
import { join } from 'node:path'
import { test } from 'vitest'
import { takeFirstSteps, talkOnOwnPage } from '../../../../test/walk/browser.ts'
import { readReadme } from '../../../../test/walk/follow-readme.ts'
import { freePort } from '../../../../test/walk/newcomer.ts'
import { openSite } from '../../../../test/walk/open-site.ts'

const ROOT = join(import.meta.dirname, '../../../..')

test('[D9] the sign-in link leads to the console, and there to the first approved call', async () => {
  await using place = await openSite()
  await using server = await place.start(0)
  await takeFirstSteps(await server.signInLink())
})

test.each(['README.md', 'README.zh-CN.md'])('[D9] the ten lines of %s are a page that talks', async (file) => {
  await using place = await openSite()
  await using server = await place.start(0)
  const port = Number(new URL(server.url).port)
  const readme = await readReadme(join(ROOT, file), { port, pagePort: await freePort(8030) })
  await talkOnOwnPage(readme, { directory: place.directory, url: server.url, env: process.env })
})
