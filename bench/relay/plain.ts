/** The floor: a server that stores nothing and only pipes the provider's stream to its caller. */
import { createServer, request as call } from 'node:http'

const target = new URL(process.argv[2]!)
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const model = new URL(request.url!, 'http://x').searchParams.get('model')
    const upstream = call(
      {
        host: target.hostname,
        port: target.port,
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      },
      (reply) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        reply.pipe(response)
      },
    )
    upstream.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'go' }] }))
  })
})
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))
