import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OWNER_KEY, sharedWorld } from '../../../server/test/wire/world.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'

// A page that knows nothing of us but the agent SSE protocol, behind the back end of its product, which adds the key.

const world = sharedWorld('sqlite', {
  language: 'zh',
  policy: { rules: [{ tool: 'Write', arguments: {}, decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
})
const page = join(import.meta.dirname, 'event-source-page/index.html')

async function openSite() {
  const server = createServer((request, response) => {
    if (request.url === '/') {
      void readFile(page).then((html) => response.writeHead(200, { 'content-type': 'text/html' }).end(html))
      return
    }
    const { host: _host, origin: _origin, ...headers } = request.headers
    const onward = ask(world().url + request.url, {
      method: request.method!,
      headers: { ...headers, authorization: `Bearer ${OWNER_KEY}` },
    })
    onward.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)))
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Logged = { type: string; id: string }

test('[S11] [S11.1] [S11.2] [S11.4] [S8.3] an EventSource with a listener for each event follows its session, before and after a consent', async () => {
  world().learn({
    'es: write': [
      { text: 'Let me write. ', calls: [{ name: 'Write', arguments: { file_path: 'a.txt', content: 'x' } }] },
      { text: 'Written.' },
    ],
    'es: again': [{ text: 'Once more.' }],
  })
  await using site = await openSite()
  const browser = await launchChromium()
  try {
    const tab = await browser.newPage()
    tab.setDefaultTimeout(PATIENCE_MS)
    await tab.goto(site.url)
    await tab.waitForFunction('typeof sessionId === "string"')
    const send = (message: string) => tab.evaluate(`send(${JSON.stringify(message)})`)
    const status = (text: string) => tab.getByText(text).waitFor()

    expect(await send('es: write')).toBe(202)
    await status('即将执行操作: Write，请确认是否继续？')
    expect(await send('确认')).toBe(202)
    await status('完成')
    expect(await tab.locator('#content').textContent()).toBe('Let me write. Written.')

    // The line breaks; the browser comes back by itself, with the last id it has.
    const before = (await tab.evaluate('log.length')) as number
    await tab.evaluate('pendingConfirmation = undefined')
    await tab.context().setOffline(true)
    await tab.context().setOffline(false)
    expect(await send('es: again')).toBe(202)
    await tab.getByText('Once more.').waitFor()
    await status('完成')
    const log = (await tab.evaluate('log')) as Logged[]
    const ids = log.filter(({ type }) => type !== 'heartbeat').map(({ id }) => id)
    expect(new Set(ids).size, 'nothing twice').toBe(ids.length)
    expect(log.length).toBeGreaterThan(before)
    for (const type of ['processing_started', 'confirmation_check', 'tool_call_started', 'tool_call_completed'])
      expect(log.map((event) => event.type)).toContain(type)
  } finally {
    await browser.close()
  }
})
