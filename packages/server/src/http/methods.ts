import type { FastifyInstance } from 'fastify'

type Route = { pattern: RegExp; methods: Set<string> }

/** Remembers which paths answer which methods, so that a wrong method is 405 and not 404. */
export function methodsOf(app: FastifyInstance): Route[] {
  const routes = new Map<string, Route>()
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const name of [method].flat()) route.methods.add(name)
    routes.set(url, route)
    list.splice(0, list.length, ...routes.values())
  })
  const list: Route[] = []
  return list
}

export function answersOtherMethods(routes: readonly Route[], url: string): string[] {
  const path = url.split('?')[0]!
  return [...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]))].sort()
}

function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*'
    return part.startsWith(':')
      ? '[^/]+'
      : part.replaceAll('::', ':').replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  })
  return new RegExp(`^${parts.join('/')}/?$`)
}
