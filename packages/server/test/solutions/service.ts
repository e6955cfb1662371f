import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export type Asked = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** A customer service on a real port, which remembers what it was asked. */
export async function startService() {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      asked.push({ method, url, headers, body })
      if (url.startsWith('/v1/away')) return response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      if (url.startsWith('/v1/customers/none')) return response.writeHead(404).end('{"error":"nobody"}')
      if (method === 'DELETE') return response.writeHead(204).end()
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 7, name: 'Anna', url }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    asked,
    base,
    document: documentOf(base),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As such services describe themselves. */
function documentOf(base: string): string {
  return `openapi: "3.0.3"
info: { title: CRM, version: "1.0" }
servers:
  - url: ${base}
security: [{ crmKey: [] }]
paths:
  /customers/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: getCustomer
      summary: Find a customer
      parameters:
        - { name: fields, in: query, schema: { type: array, items: { type: string } } }
        - { $ref: "#/components/parameters/Trace" }
    delete:
      operationId: deleteCustomer
      summary: Forget a customer
  /customers:
    post:
      operationId: createCustomer
      summary: Add a customer
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Customer" }
  /away:
    get: { operationId: goAway }
  /pictures:
    post:
      operationId: sendPicture
      requestBody: { content: { image/png: {} } }
components:
  parameters:
    Trace: { name: X-Trace, in: header, schema: { type: string } }
  schemas:
    Customer:
      type: object
      required: [name]
      properties:
        name: { type: string, nullable: true }
        parent: { $ref: "#/components/schemas/Customer" }
  securitySchemes:
    crmKey: { type: apiKey, in: header, name: X-Key }
`
}
