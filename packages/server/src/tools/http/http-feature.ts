import type { Feature, World } from '../../feature.ts'
import { logIgnored } from '../../http/ignored-fields.ts'
import { say } from '../../words/phrases.ts'
import { grants, namesOf } from '../catalog.ts'
import type { ToolDefinition } from '../define-tool.ts'
import { listedTool } from '../listed-tool.ts'
import { callBackRoute } from './call-back-route.ts'
import type { KeyedTool } from './config.ts'
import { httpTool } from './http-tool.ts'
import { httpToolRoutes, type HttpToolRoutesOptions } from './http-tool-routes.ts'
import { HttpTools } from './http-tools.ts'
import { OutstandingCalls } from './outstanding-calls.ts'
import { problemOf } from './usable-tools.ts'

export type HttpFeature = Feature & {
  /** Those of the configuration; the others come and go. */
  configured: readonly ToolDefinition[]
  has: (name: string) => boolean
  names: () => string[]
}

export type HttpFeatureOptions = Pick<HttpToolRoutesOptions, 'isTaken'> & {
  configured: readonly KeyedTool[]
  /** Whether every session has a tool of this name, which then keeps it. */
  isFixed: (name: string) => boolean
}

/** Tools in a product's backend, in any language: one signed POST each. */
export async function httpFeature(
  world: World,
  { configured, isFixed, isTaken }: HttpFeatureOptions,
): Promise<HttpFeature> {
  const { config, engine, clock, egress, logger, version, address } = world
  const seal = world.sealFor('http_tools')
  const calls = new OutstandingCalls({ engine, clock })
  const warnOnce = warnOfAddress(world)
  const define = (tool: KeyedTool) => {
    warnOnce()
    return httpTool(tool, {
      ...{ egress, clock, version, calls, address },
      onFailed: ({ name, url }, said) =>
        logger.warn(
          { tool: name },
          say('log.httpCall', config.language, { tool: name, host: new URL(url).host, said }),
        ),
      onIgnored: ({ name }, fields) => logIgnored(logger, `the answer of ${name}`, fields),
    })
  }
  const tools = new HttpTools({ engine, seal, configured, define, onWarning: (message) => logger.warn(message) })
  await tools.refresh()
  return {
    name: 'http',
    configured: configured.map(define),
    has: (name) => tools.has(name),
    names: () => tools.stored.map(({ name }) => name),
    tools: {
      of: ({ agent }) => tools.stored.filter(({ name }) => !isFixed(name) && grants(agent, name)),
      refresh: () => tools.refresh(),
      async listed(language) {
        await tools.refresh()
        return tools.stored.map((tool) => listedTool(tool, language))
      },
      names: (_session_id, called) => namesOf(tools.stored).get(called),
    },
    routes: (scope) =>
      httpToolRoutes(scope, {
        tools,
        engine,
        seal,
        isTaken,
        problemOf: (tool) => problemOf(tool, () => egress.check(tool.url, 'chosen')),
      }),
    openRoutes: (app, admission) => callBackRoute(app, { tools, calls, admission, now: () => clock.now() }),
    tables: ['http_tool_calls'],
    close: () => calls.closed(),
  }
}

/** Says once, as soon as there is a tool, that its backend is told to call back to a place that only this machine knows. */
function warnOfAddress({ config, address, logger }: World): () => void {
  let isSaid = config.publicUrl !== undefined
  return () => {
    if (isSaid) return
    isSaid = true
    void address.then((url) => {
      // So a server is called that listens on every interface; one that listens on some is called by its address.
      if (new URL(url).hostname === 'localhost') logger.warn(say('log.callBackHere', config.language, { url }))
    })
  }
}
