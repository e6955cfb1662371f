// Clones this repository and does what its README says, in order, as a person would who knows nothing else: on a machine
// whose browsers do not start, and then on one that has none. Ends at the first thing that is not as it is written.
import { ok as isTrue } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeFirstSteps, talkOnOwnPage, talkOnThePage } from './browser.ts'
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
} from './follow-readme.ts'
import { freePort, megabytes, newcomersEnvironment } from './newcomer.ts'
import { withBrokenBrowsers, withoutBrowsers } from './paths.ts'
import { inShell, openTerminal, type Terminal } from './terminal.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Packages may come over a slow line. */
const INSTALL_MS = 15 * 60_000
const SILENCE_SECONDS = 10
/** One file of the suite, with a browser; all of it is the gate's work. */
const BROWSER_TEST = 'packages/chatkit/test/browser/sources.test.ts'

const started = performance.now()
const tell = (what: string) =>
  process.stdout.write(`${String(Math.round((performance.now() - started) / 1_000)).padStart(4)} s  ${what}\n`)

const above = await mkdtemp(join(tmpdir(), 'parley-walk-'))
try {
  await walk()
  tell('everything is as it is written')
} finally {
  await rm(above, { recursive: true, force: true, maxRetries: 5, retryDelay: 1_000 })
}

async function walk(): Promise<void> {
  const directory = join(above, 'parley')
  const cache = join(above, 'npm-cache')
  const env = newcomersEnvironment({ npm_config_cache: cache })
  await inShell(`git clone -q '${ROOT}' '${directory}'`, { directory: above, env })
  const [port, pagePort] = [await freePort(8020), await freePort(8030)]
  if (port !== 8020) tell(`port 8020 is taken here, so it is ${port} that is written everywhere`)
  const readme = await readReadme(join(directory, 'README.md'), { port, pagePort })
  const page = (await pageCommands(directory)).map((line) =>
    line.replaceAll(':8020', `:${port}`).replaceAll(':8030', `:${pagePort}`),
  )
  const log = join(above, 'browsers.log')
  const machines = {
    'browsers that do not start': await withBrokenBrowsers(env['PATH']!, join(above, 'broken'), log),
    'no browser': await withoutBrowsers(env['PATH']!, join(above, 'without')),
  }
  const url = `http://127.0.0.1:${port}`
  const elsewhere = { PARLEY_PORT: `${port}`, PARLEY_URL: url, PORT: `${pagePort}` }
  for (const [machine, PATH] of Object.entries(machines)) {
    const isFirst = !existsSync(join(directory, 'node_modules'))
    const site: Site = { directory, url, env: { ...env, ...elsewhere, PATH } }
    tell(`on a machine with ${machine}:`)
    {
      const since = performance.now()
      await using server = openTerminal(readme.commands[0]!, site)
      await listening(server)
      const seconds = ((performance.now() - since) / 1_000).toFixed(0)
      tell(`npm start listens after ${seconds} s`)
      if (isFirst)
        tell(
          `${megabytes(cache)} MB in npm's cache, ${megabytes(join(directory, 'node_modules'))} MB in node_modules, ${megabytes(directory)} MB in all`,
        )
      notSilent(server)
      await takeFirstSteps(await summary(server))
      tell('the sign-in link, and in the console a talk, a tool and an approval')
      await talkOnOwnPage(readme, site)
      tell('the chat on a page, in ten lines')
      await chatOnTheCommandLine(site)
      tell('npx parley chat')
      await talkByCurl(readme, site)
      tell('the conversation by curl, with a confirmation')
      await mintToken(readme, site)
      tell('a token for a visitor')
      await invite(readme, site)
      tell('somebody is invited')
      if (isFirst) {
        await addDocuments(readme, site)
        tell('documents are added')
      }
      await sayHello(readme, site)
      tell('hello.mjs')
      const session = await killIt(readme, site)
      await server.shows(/listening on http[^]*listening on http/)
      await seeItSurvive(site, session)
      tell('killed in the middle of an answer, and it went on')
      server.type('\x03')
      // npm's own way to say that somebody pressed it.
      isTrue([0, 130].includes(await server.ends()), `Ctrl-C did not end it well:\n${server.screen()}`)
    }
    {
      await using server = openTerminal(page[0]!, site)
      await listening(server)
      await talkOnThePage(page[1]!, site)
      tell('the chat on a page, as examples/plain-html says')
    }
    const test = readme.commands[1]!.replace('npm test', `npm test -- ${BROWSER_TEST}`)
    await using tests = openTerminal(test, { directory, env: { ...env, PATH } })
    isTrue((await tests.ends(INSTALL_MS)) === 0, tests.screen())
    notSilent(tests)
    tell(`npm test, of one file with a browser`)
    await rm(join(directory, '.parley'), { recursive: true })
  }
  isTrue(
    !existsSync(log),
    `somebody started a browser of the system: ${existsSync(log) && (await readFile(log, 'utf8'))}`,
  )
}

/** Whoever waits is told so. */
function notSilent(terminal: Terminal): void {
  const seconds = terminal.longestSilenceMs() / 1_000
  isTrue(seconds <= SILENCE_SECONDS, `nothing was shown for ${seconds.toFixed(1)} s:\n${terminal.screen()}`)
}

async function listening(server: Terminal): Promise<void> {
  await server.shows(/listening on http/, INSTALL_MS)
}

/** What the last lines of a start say; returns the sign-in link. */
async function summary(server: Terminal): Promise<string> {
  for (const said of [/模型：demo|Model: demo/, /工具：\d+|Tools: \d+/, /沙箱|sandbox/]) await server.shows(said)
  return (await server.shows(/(http:\/\/\S+code=[\w&=/%.~-]+)/))[1]!
}

async function pageCommands(directory: string): Promise<string[]> {
  const text = await readFile(join(directory, 'examples/plain-html/README.md'), 'utf8')
  return /```sh\n([^`]+)```/.exec(text)![1]!.trim().split('\n')
}
