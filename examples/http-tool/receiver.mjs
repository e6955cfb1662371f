// A tool in your backend, in Node alone: takes orders, once for each call, and leaves large ones to later.sh.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

const { SECRET = '', PORT = '4000' } = process.env
const key = SECRET.startsWith('whsec_') ? Buffer.from(SECRET.slice(6), 'base64') : Buffer.from(SECRET)
if (key.length < 16) throw new Error('Set SECRET to that of your tool.')
/** What was done, by call: in your database a unique column, written in the transaction that does it. */
const done = new Map()

const server = createServer((request, response) => {
  const say = ([status, value]) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  // Who hangs up in the middle, or sends no order, stops nobody else.
  answerTo(request).then(say, () => say([400]))
})
server.listen(Number(PORT), '127.0.0.1', () => console.log('ready', server.address().port))

async function answerTo(request) {
  if (!(Number(request.headers['content-length']) <= 1_000_000)) return [413]
  const body = await buffer(request)
  if (!isFromParley(request.headers, body)) return [401]
  const { call_id, subject, arguments: order, callback_url } = JSON.parse(body.toString())
  if (order.count > 10) {
    console.log('later', callback_url)
    return [202]
  }
  if (!done.has(call_id)) done.set(call_id, { result: { order: done.size + 1, customer: subject, ...order } })
  return [200, done.get(call_id)]
}

function isFromParley({ 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given = '' }, body) {
  const wanted = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest()
  const signatures = given.split(' ').map((text) => Buffer.from(text.replace(/^v1,/, ''), 'base64'))
  const isSigned = signatures.some((one) => one.length === wanted.length && timingSafeEqual(one, wanted))
  return isSigned && Math.abs(Date.now() / 1000 - Number(time)) < 300
}
