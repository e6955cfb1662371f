// A tool in your backend, in Node alone: takes orders, once for each call, and leaves large ones to later.sh.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { SECRET = '', PORT = '4000' } = process.env
const key = SECRET.startsWith('whsec_') ? Buffer.from(SECRET.slice(6), 'base64') : Buffer.from(SECRET)
if (key.length < 16) throw new Error('Set SECRET to that of your tool.')

/** What was done, by call: in your database a unique column, written in the transaction that does it. */
const done = new Map()

const server = createServer((request, response) => void answer(request, response))
server.listen(Number(PORT), '127.0.0.1', () => console.log('ready', server.address().port))

async function answer(request, response) {
  const body = Buffer.concat(await Array.fromAsync(request))
  if (!isFromParley(request.headers, body)) return response.writeHead(401).end()
  const { call_id, subject, arguments: order, callback_url } = JSON.parse(body.toString())
  if (order.count > 10) {
    console.log(`later ${callback_url}`)
    return response.writeHead(202).end()
  }
  if (!done.has(call_id)) done.set(call_id, { result: { order: done.size + 1, customer: subject, ...order } })
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(done.get(call_id)))
}

function isFromParley(headers, body) {
  const [id, time, given] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]))
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false
  const signature = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')
  const wanted = Buffer.from(`v1,${signature}`)
  const isWanted = (one) => one.length === wanted.length && timingSafeEqual(one, wanted)
  return given
    .split(' ')
    .map((text) => Buffer.from(text))
    .some(isWanted)
}
