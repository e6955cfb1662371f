// Serves this page, with the back end of `../visitor-token.mjs`. Nothing but Node: `PARLEY_KEY=… node examples/plain-html/serve.mjs`.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { answerToken } from '../visitor-token.mjs'

const { PARLEY_URL = 'http://127.0.0.1:8020', PORT = '8030' } = process.env
const bundle = join(import.meta.dirname, '../../packages/chatkit/bundle')
/** What the script loads at first use, from beside itself. */
const PART = /^\/embed\/(highlight|math|math-font|charts|mermaid)\.js$/
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript' }
const FILES = { '/': 'index.html', '/index.html': 'index.html', '/help.html': 'help.html' }
const PARTS = { '/page.css': 'page.css', '/page.js': 'page.js' }
/** As strict as a page with the chat can be: its own files, and the chat's connection to its server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  `connect-src 'self' ${PARLEY_URL} ${PARLEY_URL.replace(/^http/, 'ws')}`,
].join('; ')

const server = createServer((request, response) => {
  if (request.url === '/token') return void answerToken(request, response)
  answer(request).then(
    ({ status = 200, type = 'text/plain', body }) =>
      response.writeHead(status, { 'content-type': type, 'content-security-policy': POLICY }).end(body),
    (error) => response.writeHead(500).end(String(error)),
  )
})
server.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`Open http://127.0.0.1:${server.address().port}\n`))

async function answer({ url }) {
  const { pathname } = new URL(url, 'http://page')
  const part = pathname === '/embed.js' ? 'embed' : PART.exec(pathname)?.[1]
  if (part) return { type: TYPES['.js'], body: await readFile(join(bundle, `${part}.js`)) }
  const name = FILES[pathname] ?? PARTS[pathname]
  if (!name) return { status: 404, body: `There is no ${pathname} here.` }
  const text = await readFile(join(import.meta.dirname, name), 'utf8')
  return { type: TYPES[extname(name)], body: text.replaceAll('http://127.0.0.1:8020', PARLEY_URL) }
}
