import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Resolve } from '../../src/egress/lookup.ts'

export type Site = AsyncDisposable & {
  port: number
  /** What was asked so far. */
  requests: { host: string; path: string; headers: IncomingMessage['headers']; method: string; body: string }[]
  /** An address here, under a name of the test's choice. */
  at: (name: string, path?: string) => string
  /** The next answer whose connection ends, for whatever reason. */
  nextClose: () => Promise<void>
}

/** A web site on a real port. Closes with every connection it has. */
export async function startSite(
  answer: (request: IncomingMessage & { body: string }, response: ServerResponse) => void,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<Site> {
  const requests: Site['requests'] = []
  let onClose = Promise.withResolvers<void>()
  const listener: RequestListener = (request, response) => {
    response.on('close', () => {
      onClose.resolve()
      onClose = Promise.withResolvers()
    })
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { headers, url: path = '', method = '' } = request
      requests.push({ host: headers.host ?? '', path, headers, method, body })
      answer(Object.assign(request, { body }), response)
    })
  }
  const server = createServer(listener)
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  return {
    port: bound,
    requests,
    at: (name, path = '/') => `http://${name}:${bound}${path}`,
    nextClose: () => onClose.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Names as the test says. A list of lists is given out one by one, the last one for ever. */
export function resolver(names: Record<string, string[] | string[][]>): Resolve & { asked: string[] } {
  const asked: string[] = []
  const resolve = (name: string) => {
    asked.push(name)
    const known = names[name]
    if (!known) return Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }))
    const turns = asked.filter((other) => other === name).length
    const addresses = (Array.isArray(known[0]) ? known[Math.min(turns, known.length) - 1] : known) as string[]
    return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
  }
  return Object.assign(resolve, { asked })
}
