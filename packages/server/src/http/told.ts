import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Need } from '../auth/principal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    told?: Told
  }
}

/** What a route says of itself. `GET /api/openapi.json` is made of this, and bodies and queries are read by nothing else. */
export type Told = {
  /** What it does, in English and in Chinese. */
  says: readonly [en: string, zh: string]
  body?: z.ZodType
  query?: z.ZodType
  /** Of its answer; absent where that has no body, or is no JSON. */
  answer?: z.ZodType
  /** Of its answer when all goes well. Default: 200, or 204 when there is nothing to say. */
  status?: number
  /** Where the body is no JSON. */
  takes?: string
  /** Where the answer is no JSON. */
  gives?: string
}

export type ToldRoute = { method: string; url: string; told: Told; needs?: Need; bySubject: boolean }

/** For a route before the door; those behind it say this with `needs`. */
export function tells(told: Told): { config: { told: Told } } {
  return { config: { told } }
}

const routes = new WeakMap<FastifyInstance, ToldRoute[]>()

/** Remembers what every route of the app says of itself. */
export function rememberTold(app: FastifyInstance): void {
  const list: ToldRoute[] = []
  routes.set(app, list)
  app.addHook('onRoute', ({ method, url, config }) => {
    const { told, needs, bySubject = false } = config ?? {}
    if (!told) return
    for (const name of [method].flat())
      if (name !== 'HEAD') list.push({ method: name, url, told, ...(needs && { needs }), bySubject })
  })
}

/** Of the app that the faces are mounted on. */
export function toldRoutes(app: FastifyInstance): readonly ToldRoute[] {
  return routes.get(app) ?? []
}

/** What is read in another way than it is told would make the description a lie. */
export function demandTold({ routeOptions }: FastifyRequest, what: 'body' | 'query', schema: z.ZodType): void {
  const { told } = routeOptions.config
  if (told && told[what] !== schema)
    throw new TypeError(
      `${[routeOptions.method].flat().join('|')} ${routeOptions.url} reads a ${what} that it does not tell of.`,
    )
}
