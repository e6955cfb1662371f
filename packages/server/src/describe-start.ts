import { NAMELESS_MODEL_ID } from './models/from-environment.ts'
import type { ListChange } from './models/watch-models.ts'
import { describeLimits } from './sandbox/describe-limits.ts'
import type { Sandbox } from './sandbox/sandbox.ts'

export type StartLine = { level: 'info' | 'warn'; line: string }

export type StartFacts = {
  language: 'zh' | 'en'
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
}

const WORDS = {
  en: {
    model: (id: string) => `Model: ${id}`,
    demo: 'Model: demo. It shows what Parley does and knows nothing. For a real one set PARLEY_MODEL_URL (an OpenAI-compatible server), ANTHROPIC_API_KEY or OPENAI_API_KEY.',
    firstOf: (origin: string, model: string) =>
      `Model: ${model}the first one that ${origin} lists. PARLEY_MODEL names another.`,
    has: (origin: string, names: string, more: number) =>
      `Models at ${origin}: ${names}${more > 0 ? ` and ${more} more` : ''}`,
    silent: (origin: string, why: string) => `${origin} does not say which models it has (${why})`,
    which: (model: string) => `${model}, `,
    comma: ', ',
    tools: (count: number) => `Tools: ${count}`,
    mcp: 'MCP servers: ',
    mcpTools: (count: number) => `${count} tools`,
    notYet: 'not connected yet',
    sandbox: (level: string) => `Commands run in a sandbox (${level}).`,
    noSandbox: 'Commands run without a sandbox, so every one of them asks first.',
    noBetter: (reason: string) => ` There is no better one here: ${reason}`,
  },
  zh: {
    model: (id: string) => `模型：${id}`,
    demo: '模型：demo（演示模型）。它只展示 Parley 的功能，并不懂任何知识。要使用真实模型，请设置 PARLEY_MODEL_URL（OpenAI 兼容服务器）、ANTHROPIC_API_KEY 或 OPENAI_API_KEY。',
    firstOf: (origin: string, model: string) =>
      `模型：${model}${origin} 列出的第一个模型。可用 PARLEY_MODEL 指定其他模型。`,
    has: (origin: string, names: string, more: number) =>
      `${origin} 提供的模型：${names}${more > 0 ? `，另有 ${more} 个` : ''}`,
    silent: (origin: string, why: string) => `无法获知 ${origin} 提供哪些模型（${why}）`,
    which: (model: string) => `${model}，即 `,
    comma: '、',
    tools: (count: number) => `工具：${count} 个`,
    mcp: 'MCP 服务器：',
    mcpTools: (count: number) => `${count} 个工具`,
    notYet: '尚未连接',
    sandbox: (level: string) => `命令在沙箱中运行（${level}）。`,
    noSandbox: '命令不在沙箱中运行，因此每条命令都会先征求同意。',
    noBetter: (reason: string) => `此处没有更好的沙箱：${reason}`,
  },
}

/** What an operator wants to know of a server that has just started, a line each, and how loud to say it. */
export function describeStart(facts: StartFacts): StartLine[] {
  const { language, lists, tools, mcpServers, sandbox } = facts
  const words = WORDS[language]
  const isBare = sandbox.level === 'none'
  const place = isBare ? words.noSandbox : words.sandbox(sandbox.level)
  const server = ({ name, tools: count }: StartFacts['mcpServers'][number]) =>
    `${name}: ${count === undefined ? words.notYet : words.mcpTools(count)}`
  const info = (line: string) => ({ level: 'info' as const, line })
  return [
    info(modelLine(facts)),
    ...lists.map((change) => describeModels(change, language)),
    info(words.tools(tools)),
    ...(mcpServers.length > 0 ? [info(words.mcp + mcpServers.map(server).join('; '))] : []),
    { level: isBare ? 'warn' : 'info', line: place + (sandbox.reason === null ? '' : words.noBetter(sandbox.reason)) },
    info(describeLimits(sandbox.limits, language)),
  ]
}

/** A line may be long, not endless; the rest is at `GET /api/config/models`. */
const MODELS_IN_A_LINE = 20

/** What a server says it has, or why that is not known. */
export function describeModels({ origin, models, failure }: ListChange, language: StartFacts['language']): StartLine {
  const words = WORDS[language]
  if (failure) return { level: 'warn', line: words.silent(origin, failure.message) }
  const names = models.slice(0, MODELS_IN_A_LINE)
  return { level: 'info', line: words.has(origin, names.join(words.comma), models.length - names.length) }
}

function modelLine({ language, model, isDemo, modelsFrom }: StartFacts): string {
  const words = WORDS[language]
  if (isDemo) return words.demo
  if (modelsFrom === undefined) return words.model(model)
  return words.firstOf(modelsFrom, model === NAMELESS_MODEL_ID ? '' : words.which(model))
}
