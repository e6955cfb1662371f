import { expect, test } from 'vitest'
import { readOpenApi } from './read-openapi.ts'

const document = (more: string) =>
  `openapi: 3.0.0\nservers: [{ url: "https://{where}.example.com/v1/", variables: { where: { default: eu } } }]\n${more}`

test('[W12.7.7] arguments are the parameters and the body, as JSON Schema that refers to nothing outside itself', async () => {
  const { operations, problems } = await readOpenApi({
    text: document(`paths:
  /things/{id}:
    put:
      parameters:
        - { name: id, in: path, required: true, description: Which, schema: { type: integer, example: 7 } }
        - { name: sid, in: cookie, schema: { type: string } }
        - { name: Authorization, in: header, schema: { type: string } }
      requestBody:
        content:
          application/vnd.thing+json:
            schema: { $ref: "#/components/schemas/Thing" }
components:
  schemas:
    Thing:
      type: object
      required: [example]
      properties:
        example: { type: string, nullable: true, x-note: a }
        size: { type: number, minimum: 0, exclusiveMinimum: true, default: { nullable: true } }
        parts: { type: array, items: { $ref: "#/components/schemas/Thing" } }
`),
  })
  expect(problems).toEqual([])
  expect(operations).toEqual([
    {
      ...{ name: 'put_things_id', description: 'PUT /things/{id}', method: 'PUT', path: '/things/{id}' },
      base: 'https://eu.example.com/v1',
      parameters: [{ name: 'id', in: 'path' }],
      body: 'body',
      credentials: [],
      input: {
        type: 'object',
        properties: { id: { type: 'integer', description: 'Which' }, body: { $ref: '#/$defs/d0' } },
        required: ['id'],
        additionalProperties: false,
        $defs: {
          d0: {
            type: 'object',
            required: ['example'],
            properties: {
              example: { type: ['string', 'null'] },
              size: { type: 'number', minimum: 0, default: { nullable: true } },
              parts: { type: 'array', items: { $ref: '#/$defs/d0' } },
            },
          },
        },
      },
    },
  ])
})

test.each([
  ['{ type: http, scheme: Bearer }', { kind: 'bearer', name: 'authorization', variable: 'MY_KEY' }],
  ['{ type: http, scheme: basic, x-env: LOGIN }', { kind: 'basic', name: 'authorization', variable: 'LOGIN' }],
  ['{ type: apiKey, in: query, name: key }', { kind: 'query', name: 'key', variable: 'MY_KEY' }],
  ['{ type: oauth2 }', { kind: 'bearer', name: 'authorization', variable: 'MY_KEY' }],
])('[W12.7.7] a security scheme %s is a variable of the session', async (scheme, credential) => {
  const secured = `security: [{ myKey: [] }]\ncomponents: { securitySchemes: { myKey: ${scheme} } }\npaths: { /a: { get: {} }, /open: { get: { security: [] } } }`
  const { operations } = await readOpenApi({ text: document(secured) })
  expect(operations.map(({ credentials }) => credentials)).toEqual([[credential], []])
})

test.each([
  '{ type: apiKey, in: cookie, name: sid }',
  '{ type: apiKey, in: header, name: Host }',
  '{ type: mutualTLS }',
])('[W12.7.7] an operation that wants %s is left out, and named with its line', async (scheme) => {
  const secured = `security: [{ k: [] }]\ncomponents: { securitySchemes: { k: ${scheme} } }\npaths:\n  /a:\n    get: {}`
  const { operations, problems } = await readOpenApi({ text: document(secured) })
  expect([operations, problems]).toEqual([[], [expect.stringMatching(/^7: GET \/a: security: /)]])
})
