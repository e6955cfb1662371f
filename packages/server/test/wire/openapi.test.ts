import { CONSOLE_PATHS } from '../../src/faces/console/console-face.ts'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiDescription, Operation } from '../../src/faces/api-docs/describe-api.ts'
import { watchRoutes } from '../auth/visitors.ts'
import { openSampled, type Sample, type Sampled } from './openapi-samples.ts'
import { OWNER_KEY, STORES } from './world.ts'

type Schema = { type?: string; properties?: Record<string, Schema>; additionalProperties?: unknown } & Record<
  string,
  unknown
>
type Route = { name: string; method: string; path: string; operation: Operation; sample: Sample }

/** What people open, and what their browsers load: no part of the interface for programs. */
const PAGES = [
  ...CONSOLE_PATHS.map((path) => path.replace('*', '{path}')),
  '/assets/{name}',
  '/mark.svg',
  '/chat',
  '/chat/card',
  '/docs',
  '/docs/{path}',
  '/docs/api',
  '/embed.js',
  '/embed/{name}',
  '/share/{token}',
]
/** For everybody. What `tool-calls` brings is signed instead. */
const OPEN = [
  'GET /api/auth/login',
  'GET /api/health',
  'GET /api/openapi.json',
  'GET /api/share/{token}',
  'GET /api/version',
  'GET /healthz',
  'POST /api/tool-calls/{call_id}/result',
]
/** What their paths name is nobody's: everybody of the server has it, or makes one of their own under that name. */
const SHARED = [
  'GET /api/tools/{name}',
  'GET /api/skills/{path}',
  'GET /api/agents/{name}',
  'GET /api/models/configs/{id}',
  'PUT /api/knowledge/collections/{name}',
  'PUT /api/agent/knowledge/collections/{name}',
  'GET /api/solutions/{solution_id}/biz-roles',
  'GET /api/solutions/{solution_id}/files/{path}',
  'PUT /api/user/env-buckets/{bucket}',
  'GET /api/user/preferences/{key}',
  'PUT /api/user/preferences/{key}',
]
const STRAY = 'surprise_field'
const WRONG = [[], {}, 'wrong!', 1.5, true]
const JSON_TYPE = 'application/json'
const PATIENCE = 120_000

describe.each(STORES)('on %s', (store) => {
  let sampled: Sampled
  let api: ApiDescription
  let all: Route[]
  let mounted: Set<string>
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

  beforeAll(async () => {
    using watched = watchRoutes()
    sampled = await openSampled(store)
    mounted = watched.routes
    api = (await sampled.world.rest<ApiDescription>('GET', '/api/openapi.json', { token: null })).body
    ajv.addSchema(api, 'api')
    all = Object.entries(sampled.samples).flatMap(([name, sample]) => {
      const [method, path] = name.split(' ') as [string, string]
      const operation = api.paths[path]?.[method.toLowerCase()]
      return operation ? [{ name, method, path, operation, sample }] : []
    })
  }, PATIENCE)
  afterAll(async () => sampled?.[Symbol.asyncDispose]())

  const described = () =>
    Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )

  async function ask(
    { method, path, sample }: Route,
    { token = OWNER_KEY as string | null, query = {}, body = sample.body as object | undefined } = {},
  ) {
    const ids: Record<string, string | number> = { session_id: sampled.session_id, ...sample.at }
    const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
    const search = new URLSearchParams({ ...sample.query, ...query }).toString()
    const isJson = body !== undefined && !sample.form
    const reply = await fetch(`${sampled.world.url}${at}${search && `?${search}`}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== null && !sample.headers?.['cookie'] && { authorization: `Bearer ${token}` }),
        ...(isJson && { 'content-type': JSON_TYPE }),
        ...(token !== null && sample.headers),
      },
      ...(isJson && { body: JSON.stringify(body) }),
      ...(sample.form && { body: sample.form }),
    })
    const type = reply.headers.get('content-type')?.split(';')[0] ?? ''
    const text = await reply.text()
    const answer: unknown = type === JSON_TYPE ? JSON.parse(text) : text
    return {
      status: reply.status,
      type,
      answer,
      told: `${reply.status} ${text.slice(0, 2_000)}`,
      headers: reply.headers,
    }
  }

  test('[W3] every route is described, or is a page; and every one that is described is asked here', () => {
    const templates = [...mounted]
      .filter((route) => !/^(?:HEAD|OPTIONS) /.test(route))
      .map((route) =>
        route
          .replaceAll('::', '\0')
          .replaceAll(/:(\w+)/g, '{$1}')
          .replace('*', '{path}')
          .replace('\0', ':'),
      )
    const pages = PAGES.map((path) => `GET ${path}`)
    expect(templates.filter((route) => !pages.includes(route)).sort()).toEqual(described().sort())
    expect(Object.keys(sampled.samples).sort()).toEqual(described().sort())
  })

  test('[W3] the description is OpenAPI 3.1, whole and small', () => {
    const text = JSON.stringify(api)
    expect(text.length).toBeLessThan(400_000)
    expect(api).toMatchObject({ openapi: '3.1.0', info: { title: 'Parley', version: expect.any(String) } })
    const ids = all.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, name] of text.matchAll(/"\$ref":"([^"]*)"/g)) {
      const part = name!.replace('#/components/schemas/', '')
      expect(Object.keys(api.components.schemas)).toContain(part)
    }
    for (const { name, path, operation } of all) {
      const inPath = operation.parameters.filter((one) => one.in === 'path')
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one)
      expect([name, inPath.map((one) => one.name)]).toEqual([name, named])
      const names = operation.parameters.map((one) => `${one.in} ${one.name}`)
      expect([name, new Set(names).size]).toEqual([name, names.length])
      expect(operation.summary && operation['x-summary-zh']).toMatch(/\p{Script=Han}/u)
      expect(Object.keys(operation.responses)).toEqual([expect.stringMatching(/^[23]\d\d$/), 'default'])
      for (const schema of schemasOf(operation)) expect([name, ajv.validateSchema(schema)]).toEqual([name, true])
    }
    for (const schema of Object.values(api.components.schemas)) expect(ajv.validateSchema(schema)).toBe(true)
  })

  test('[W3] what is not open to everybody is refused without a credential', async () => {
    expect(
      all
        .filter(({ operation }) => operation.security?.length === 0)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(OPEN)
    for (const route of all.filter(({ name }) => !OPEN.includes(name))) {
      const { status } = await ask(route, { token: null })
      expect([route.name, status]).toEqual([route.name, 401])
    }
  })

  test('[W3] somebody else’s things are not there', async () => {
    const owned = all.filter(({ name, path }) => path.includes('{') && !OPEN.includes(name) && !SHARED.includes(name))
    expect(owned.length).toBeGreaterThan(60)
    for (const route of owned) {
      const { told } = await ask(route, { token: sampled.world.strangersKey })
      expect(`${route.name}: ${told}`).toMatch(/: (?:403|404) /)
    }
  })

  test(
    '[W3] a field of another type is refused by its name, in bodies and in queries',
    { timeout: PATIENCE },
    async () => {
      let asked = 0
      for (const route of all.filter(({ operation }) => operation['x-needs'])) {
        const { properties = {} } = bodyOf(route.operation)
        for (const [field, schema] of Object.entries(properties)) {
          const wrong = WRONG.find((value) => !ajv.validate(schema, value))
          if (wrong === undefined) continue
          asked++
          const { told } = await ask(route, { body: { ...route.sample.body, [field]: wrong } })
          expect(`${route.name} ${field}: ${told}`).toMatch(new RegExp(`: (?:400|422) .*\\b${field}\\b`, 's'))
        }
        for (const { name, schema } of route.operation.parameters.filter((one) => one.in === 'query')) {
          if (schema['type'] === 'string' && !schema['enum'] && schema['format'] === undefined) continue
          asked++
          const { told } = await ask(route, { query: { [name]: 'wrong!' } })
          expect(`${route.name} ${name}: ${told}`).toMatch(new RegExp(`: (?:400|422) .*\\b${name}\\b`, 's'))
        }
      }
      expect(asked).toBeGreaterThan(150)
    },
  )

  test('[W0] a field that nobody knows is refused where the description says so', async () => {
    const strict = all.filter(({ operation }) => bodyOf(operation).additionalProperties === false)
    expect(strict.length).toBeGreaterThan(8)
    for (const route of strict.filter(({ name }) => !OPEN.includes(name))) {
      const { told } = await ask(route, { body: { ...route.sample.body, [STRAY]: 1 } })
      expect(`${route.name}: ${told}`).toMatch(new RegExp(`: (?:400|422) .*${STRAY}`, 's'))
    }
    const queries = all.filter(({ operation }) => operation['x-unknown-parameters'] === 'refused')
    expect(queries.length).toBeGreaterThan(8)
    for (const route of queries) {
      const { told } = await ask(route, { query: { [STRAY]: '1' } })
      expect(`${route.name}: ${told}`).toMatch(new RegExp(`: (?:400|422) .*${STRAY}`, 's'))
    }
  })

  test(
    '[W0] what is valid is answered as described; a field that nobody knows is ignored, and named, where the description says so',
    { timeout: PATIENCE },
    async () => {
      for (const route of all.filter(({ sample }) => sample.elsewhere === undefined)) {
        const { name, operation, sample } = route
        await sample.before?.()
        const body = bodyOf(operation)
        const strayBody = sample.body !== undefined && body.properties && body.additionalProperties === undefined
        const strayQuery = operation['x-unknown-parameters'] === 'ignored' && !OPEN.includes(name)
        const { status, type, answer, told, headers } = await ask(route, {
          ...(strayBody && { body: { ...sample.body, [STRAY]: 1 } }),
          ...(strayQuery && { query: { [STRAY]: '1' } }),
        })
        const [expected, { content = {} }] = Object.entries(operation.responses)[0]!
        expect(`${name}: ${told}`).toMatch(new RegExp(`^[^:]*(?::\\w+)?: ${expected} `))
        expect(status).toBe(Number(expected))
        const types = Object.keys(content)
        if (types.includes('application/octet-stream')) expect(type).not.toBe(JSON_TYPE)
        else if (types.length > 0) expect(types).toContain(type)
        if (type === JSON_TYPE && content[JSON_TYPE]) {
          const fits = validatorOf(route, expected)
          expect([name, fits(answer) || fits.errors]).toEqual([name, true])
        }
        if (strayBody || strayQuery) {
          const { ignored } = { ignored: headers.get('parley-ignored'), ...(answer as { ignored?: string[] }) }
          expect(`${name}: ${String(ignored)}`).toBe(`${name}: ${STRAY}`)
        }
      }
    },
  )

  const validatorOf = ({ path, method }: Route, status: string): ValidateFunction => {
    const parts = ['paths', path, method.toLowerCase(), 'responses', status, 'content', JSON_TYPE, 'schema']
    const pointer = parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    return ajv.compile({ $ref: `api#/${pointer}` })
  }
})

function bodyOf({ requestBody }: Operation): Schema {
  return (requestBody?.content[JSON_TYPE]?.schema ?? {}) as Schema
}

function schemasOf({ parameters, requestBody, responses }: Operation): object[] {
  const contents = [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}))
  return [...parameters, ...contents].map(({ schema }) => schema)
}
