import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { z } from 'zod'
import { MAX_NAMED, parse } from './parse.ts'
import { demandTold } from './told.ts'

/** Carries the names where the body cannot: bare lists, files, streams, empty answers. */
const HEADER = 'parley-ignored'
/** Names beyond this are left out of it: clients give a whole head some kilobytes, and hang up on more. */
const HEADER_CHARACTERS = 2_048
/** At most this many are logged; more are somebody's game. */
const MAX_LOGGED = 200

const read = new WeakSet<FastifyRequest>()
const named = new WeakSet<FastifyRequest>()
const ignored = new WeakMap<FastifyRequest, Set<string>>()
const logged = new WeakMap<Logger, Set<string>>()

/** A request's JSON body, read by its schema; none counts as `{}`. */
export function readBody<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.output<Schema> {
  demandTold(request, 'body', schema)
  return readAny(request, schema)
}

function readAny<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.output<Schema> {
  read.add(request)
  return parse(schema, request.body ?? {}, (names) => ignore(request, names))
}

/** What stands behind the `?`. */
export function readQuery<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.output<Schema> {
  demandTold(request, 'query', schema)
  return parse(schema, request.query, (names) => ignore(request, names))
}

/** These fields of the request were not read. */
export function ignore(request: FastifyRequest, names: readonly string[]): void {
  const all = new Set([...(ignored.get(request) ?? []), ...names])
  ignored.set(request, new Set([...all].slice(0, MAX_NAMED)))
}

/** Every answer names the fields of its request that were ignored, in `ignored` or in a header; the log names each once. */
export function nameIgnored(app: FastifyInstance, logger: Logger): void {
  app.addHook('preSerialization', async (request, reply, payload) => {
    if (!isObject(payload)) return payload
    const names = takeIgnored(request, reply, logger)
    return names.length > 0 ? { ...(payload as object), ignored: names } : payload
  })
  app.addHook('onSend', async (request, reply) => void nameInHeader(request, reply, logger))
}

/** For answers that are no JSON object. */
export function nameInHeader(request: FastifyRequest, reply: FastifyReply, logger: Logger): string[] {
  const names = takeIgnored(request, reply, logger)
  if (names.length > 0) reply.header(HEADER, headerOf(names))
  return names
}

/** A name may hold anything; a header may not. */
function headerOf(names: readonly string[]): string {
  let header = ''
  for (const name of names) {
    const longer = `${header}${header && ', '}${encodeURIComponent(name.toWellFormed())}`
    if (longer.length > HEADER_CHARACTERS) break
    header = longer
  }
  return header
}

/** One line per name. */
export function logIgnored(logger: Logger, where: string, names: readonly string[]): void {
  const known = logged.get(logger) ?? new Set()
  logged.set(logger, known)
  for (const field of names) {
    if (known.has(field) || known.size >= MAX_LOGGED) continue
    known.add(field)
    logger.warn({ field, where }, 'a field that nobody knows was ignored')
  }
}

function takeIgnored(request: FastifyRequest, reply: FastifyReply, logger: Logger): string[] {
  // What the route did not even look at, though it did what it was asked.
  if (!named.has(request) && reply.statusCode < 400) {
    if (!read.has(request) && isObject(request.body)) readAny(request, NO_FIELDS)
    const { told } = request.routeOptions.config ?? {}
    if (told && !told.query) parse(NO_FIELDS, request.query, (names) => ignore(request, names))
  }
  named.add(request)
  const names = [...(ignored.get(request) ?? [])]
  ignored.delete(request)
  logIgnored(logger, `${request.method} ${request.routeOptions.url ?? ''}`, names)
  return names
}

const NO_FIELDS = z.object({})

/** What JSON makes. A buffer would be an object with a field for each of its bytes. */
function isObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
