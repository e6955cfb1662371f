import type { KeysChange } from './auth/product/jwks.ts'
import type { OidcOptions } from './auth/oidc/oidc-options.ts'
import type { VisitorsOptions } from './auth/product/visitors-options.ts'
import { NAMELESS_MODEL_ID } from './models/from-environment.ts'
import type { ListChange } from './models/watch-models.ts'
import type { RealLimits, Sandbox } from './sandbox/sandbox.ts'
import type { Language } from './words/language.ts'
import { LIST_MARKS } from './words/list-marks.ts'
import { say } from './words/phrases.ts'

export type StartLine = { level: 'info' | 'warn'; line: string }

export type StartFacts = {
  language: Language
  /** Id of the model that answers where nobody chose one. */
  model: string
  isDemo: boolean
  /** Where the server is that names its model itself. */
  modelsFrom?: string
  /** What servers said meanwhile about their models. */
  lists: readonly ListChange[]
  /** Without those of MCP servers. */
  tools: number
  /** `tools` is `undefined` while the server is not connected. */
  mcpServers: readonly { name: string; tools: number | undefined }[]
  sandbox: Pick<Sandbox, 'level' | 'reason' | 'limits'>
  /** The product's own sign-in. */
  visitors?: VisitorsOptions
  oidc?: OidcOptions
}

/** What an operator wants to know of a server that has just started, a line each, and how loud to say it. */
export function describeStart(facts: StartFacts): StartLine[] {
  const { language, lists, tools, mcpServers, sandbox, visitors, oidc } = facts
  const { level, reason, limits } = sandbox
  const isBare = level === 'none'
  const place = isBare ? say('start.noSandbox', language) : say('start.sandbox', language, { level })
  const servers = mcpServers.map((server) => mcpWords(server, language)).join(LIST_MARKS.groups[language])
  const info = (line: string) => ({ level: 'info' as const, line })
  return [
    info(modelLine(facts)),
    ...lists.map((change) => describeModels(change, language)),
    info(say('start.tools', language, { count: tools })),
    ...(servers === '' ? [] : [info(say('start.mcp', language, { servers }))]),
    {
      level: isBare ? 'warn' : 'info',
      line: place + (reason === null ? '' : say('start.noBetter', language, { reason })),
    },
    info(limitsLine(limits, language)),
    ...(oidc ? [info(oidcLine(oidc, language))] : []),
    ...(visitors ? [info(visitorsLine(visitors, language))] : []),
  ]
}

/** A line may be long, not endless; the rest is at `GET /api/config/models`. */
const MODELS_IN_A_LINE = 20

/** What a server says it has, or why that is not known. */
export function describeModels({ origin, models, failure }: ListChange, language: Language): StartLine {
  if (failure) return { level: 'warn', line: say('start.modelsUnknown', language, { origin, why: failure.message }) }
  const names = models.slice(0, MODELS_IN_A_LINE).join(LIST_MARKS.names[language])
  const more = models.length - MODELS_IN_A_LINE
  const key = more > 0 ? 'start.modelsAndMore' : 'start.models'
  return { level: 'info', line: say(key, language, { origin, names, more }) }
}

/** Whether the keys that visitors' tokens are signed with are known, or why not. */
export function describeKeys({ url, count, failure, keptMs }: KeysChange, language: Language): StartLine {
  if (failure === undefined) return { level: 'info', line: say('start.keys', language, { url, count }) }
  const key = keptMs > 0 ? 'start.keysKept' : 'start.keysUnknown'
  const minutes = Math.ceil(keptMs / 60_000)
  return { level: 'warn', line: say(key, language, { url, why: failure, minutes }) }
}

function oidcLine({ issuer, allow }: OidcOptions, language: Language): string {
  return say('start.oidc', language, { issuer, others: allow ? say('start.oidcOthers', language) : '' })
}

function visitorsLine({ jwks, publicKey, issuer }: VisitorsOptions, language: Language): string {
  if (jwks !== undefined) return say('start.visitorsByJwks', language, { issuer, url: jwks })
  return say(publicKey === undefined ? 'start.visitorsBySecret' : 'start.visitorsByKey', language, { issuer })
}

function modelLine({ language, model, isDemo, modelsFrom }: StartFacts): string {
  if (isDemo) return say('start.demo', language)
  if (modelsFrom === undefined) return say('start.model', language, { id: model })
  if (model === NAMELESS_MODEL_ID) return say('start.firstOf', language, { origin: modelsFrom })
  return say('start.firstNamed', language, { model, origin: modelsFrom })
}

function mcpWords({ name, tools: count }: StartFacts['mcpServers'][number], language: Language): string {
  if (count === undefined) return say('start.mcpNotYet', language, { name })
  return count === 1 ? say('start.mcpOne', language, { name }) : say('start.mcpTools', language, { name, count })
}

/** Which limits are real here. */
function limitsLine(limits: RealLimits, language: Language): string {
  const parts = Object.entries(limits) as [keyof RealLimits, RealLimits[keyof RealLimits]][]
  const words = parts.map(([name, held]) =>
    [say(`limit.${name}`, language), say(`limit.${held}`, language)].join(LIST_MARKS.words[language]),
  )
  const list = words.join(LIST_MARKS.clauses[language])
  return say('limit.title', language, { list })
}
