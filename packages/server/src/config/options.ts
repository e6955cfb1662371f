import { isTool, type OwnTool } from '@parley/tools'
import { z } from 'zod'
import { oidcSchema } from '../auth/oidc/oidc-options.ts'
import { visitorsSchema } from '../auth/product/visitors-options.ts'
import { egressOptionsSchema } from '../egress/egress-options.ts'
import { type HttpToolOptions, httpToolSchema } from '../tools/http/config.ts'
import { mcpServersSchema } from '../tools/mcp/config.ts'
import type { FileDigests } from '../tools/own/file-digests.ts'
import { searchOptionsSchema } from '../tools/web/search-options.ts'
import { agentSseSchema } from './agent-sse-options.ts'
import { onedragonSchema } from './onedragon-options.ts'
import { priceSchema } from './price-options.ts'

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an address such as https://chat.example.com' })

/** One entry of `models`; see `models/model-config.ts`. */
const modelSchema = z.strictObject({
  id: z.string().min(1),
  provider: z.enum(['openai-compatible', 'anthropic', 'openai', 'demo']),
  name: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  url: httpUrl.optional(),
  apiKey: z.string().min(1).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  contextWindow: z.int().min(0).optional(),
  supportsVision: z.boolean().optional(),
  supportsThinking: z.boolean().optional(),
  price: priceSchema.optional(),
})

/**
 * What `parley.config.{ts,js,json}` may say. Every field is optional; the environment variable named beside it says the
 * same and wins. Unknown names and wrong values are errors that name the option. `PARLEY_CONFIG` names a file elsewhere;
 * paths in it are seen from the directory in which the server is started.
 */
export const optionsSchema = z.strictObject({
  /** Address to listen on. Default `127.0.0.1`: this machine only. `PARLEY_HOST` */
  host: z.string().min(1).optional(),
  /** Port to listen on; 0 takes any free one. Default 8020. `PARLEY_PORT` */
  port: z.int().min(0).max(65_535).optional(),
  /** SQLite file, workspaces and uploads. Default `./.parley`. `PARLEY_DATA_DIR` */
  dataDir: z.string().min(1).optional(),
  /** `postgres://…`. Default: SQLite in the data directory. `PARLEY_DATABASE_URL` */
  databaseUrl: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .optional(),
  /** How long a run belongs to a server that gives no sign of life, in milliseconds. Default 10 000. `PARLEY_LEASE_MS` */
  leaseMs: z.int().min(500).max(600_000).optional(),
  /** An API key that the owner has from the first start on. `PARLEY_OWNER_KEY` */
  ownerKey: z.string().min(1).optional(),
  /** Key for cookies, signed links and stored secrets. Default: generated at the first start and kept. `PARLEY_SECRET` */
  secret: z.string().min(16, 'must have at least 16 characters').optional(),
  /** Where people reach this server, when that is not its own address, e.g. behind a proxy. `PARLEY_PUBLIC_URL` */
  publicUrl: httpUrl.optional(),
  /** Origins of other sites whose pages may use this server; a comma list in the environment. `PARLEY_ALLOWED_ORIGINS` */
  allowedOrigins: z.array(httpUrl).optional(),
  /** The product's own sign-in, whose JWTs are its visitors' tokens; see `auth/product/visitors-options.ts`. Default none. */
  visitors: visitorsSchema.optional(),
  /** Signing in with OpenID Connect, beside links; see `auth/oidc/oidc-options.ts`. Default none. */
  oidc: oidcSchema.optional(),
  /** Language of texts that the server makes. Default: the locale's (`LC_ALL`, `LC_MESSAGES`, `LANG`), if it is `zh` or `en`; else `zh`. `PARLEY_LANGUAGE` */
  language: z.enum(['zh', 'en']).optional(),
  /** Socket connections beyond this are refused. Default 10 000. `PARLEY_MAX_SOCKETS` */
  maxSockets: z.int().min(1).optional(),
  /** An OpenAI-compatible server, e.g. http://localhost:11434/v1. `PARLEY_MODEL_URL` */
  modelUrl: httpUrl.optional(),
  /** Id of the default model. `PARLEY_MODEL` */
  model: z.string().min(1).optional(),
  /** Key of the server at `modelUrl`. `PARLEY_MODEL_KEY` */
  modelKey: z.string().min(1).optional(),
  /** An OpenAI-compatible server whose `/embeddings` finds documents by their meaning, too. Default: by their words alone. `PARLEY_EMBEDDINGS_URL` */
  embeddingsUrl: httpUrl.optional(),
  /** Its model; needed with `embeddingsUrl`. `PARLEY_EMBEDDINGS_MODEL` */
  embeddingsModel: z.string().min(1).optional(),
  /** Its key. `PARLEY_EMBEDDINGS_KEY` */
  embeddingsKey: z.string().min(1).optional(),
  /** Makes Anthropic's models available. `ANTHROPIC_API_KEY` */
  anthropicApiKey: z.string().min(1).optional(),
  /** Makes OpenAI's models available. `OPENAI_API_KEY` */
  openaiApiKey: z.string().min(1).optional(),
  /** Where OpenAI's API is, if not at OpenAI. `OPENAI_BASE_URL` */
  openaiBaseUrl: httpUrl.optional(),
  /** Models by name, before those that the environment offers. */
  models: z.array(modelSchema).optional(),
  /** Prices of models that are not written into `models`, by their ids: those of the environment, and those added over REST. */
  prices: z.record(z.string(), priceSchema).optional(),
  /** What prices are in, as ISO 4217 has it: one for all, since they are added up. Default `USD`. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a code such as USD')
    .optional(),
  /** Id of the model that answers when another one fails for good. */
  fallbackModel: z.string().min(1).optional(),
  /** What every agent is told first. Default: a few sentences about the tools and the workspace. */
  systemPrompt: z.string().optional(),
  /** Model calls per loop and run. Default 50. */
  maxTurns: z.int().min(1).max(1_000).optional(),
  /** The share of a model's context window from which on a conversation is compacted by itself; 0: never. Default 0.8. `PARLEY_COMPACT_AT` */
  compactAt: z.number().min(0).max(0.95).optional(),
  /**
   * What one answer of a model may hold. At a limit the provider's connection is closed; what was said is kept, calls of
   * that answer are not run, and the run ends with `cut: "length"`, as when the provider itself says so.
   */
  answerLimits: z
    .strictObject({
      /** Characters of text, thinking and arguments together. Default 2 000 000. */
      characters: z.int().min(1_000).max(100_000_000).default(2_000_000),
      /** Characters of one call's arguments. Default 1 000 000. */
      argumentCharacters: z.int().min(1_000).max(100_000_000).default(1_000_000),
      /** Tool calls. Default 2 000. */
      calls: z.int().min(1).max(100_000).default(2_000),
    })
    .optional(),
  /** Which tool calls may run, which ask a person first, and which may not run at all. */
  policy: z
    .strictObject({
      /** The first rule that fits a call decides; where none fits: low and medium risk run, high risk asks. */
      rules: z
        .array(
          z.strictObject({
            /** Name of a tool; `*` stands for any characters. `Agent` cannot ask: there, `ask` denies. */
            tool: z.string().min(1),
            /** Arguments by name, e.g. `{ "command": "git *" }`; all of them must fit. `*` also stands for `;` and `&&`. */
            arguments: z.record(z.string(), z.string()).optional(),
            decision: z.enum(['allow', 'ask', 'deny']),
          }),
        )
        .default([]),
      /** What a headless run does with a call that asks: `fail` (default) ends it, `deny` refuses the call, `allow` runs it. */
      headless: z.enum(['fail', 'deny', 'allow']).default('fail'),
      /** How long a confirmation can be decided, and a decision holds. Default 15. */
      confirmationMinutes: z.number().min(0.01).max(10_080).default(15),
    })
    .optional(),
  /** Which hosts may be asked; see `egress/egress-options.ts`. */
  egress: egressOptionsSchema.optional(),
  /** Who answers WebSearch: `{ provider: 'searxng' | 'tavily' | 'brave', url?, key? }`. Without it there is no such tool. */
  search: searchOptionsSchema.optional(),
  /**
   * Which hosts WebFetch asks without asking a person: `named` (default): those that the user's messages, `egress.allow`,
   * `systemPrompt` or the searches made for the last message name; `any`: all.
   */
  webFetch: z.enum(['named', 'any']).optional(),
  /** The best sandbox to try for commands; `none` makes every Bash call ask. Default: the best there is. */
  sandbox: z.enum(['sandbox-runtime', 'unshare', 'none']).optional(),
  /** Lets commands in the sandbox reach the network. Default false. */
  sandboxNetwork: z.boolean().optional(),
  /** MCP servers by name, in the form other programs use. */
  mcpServers: mcpServersSchema.optional(),
  /** Tools in a product's backend: one signed POST each; see `tools/http/config.ts`. */
  httpTools: z.array(httpToolSchema).optional(),
  /** Directories with skills (`name/SKILL.md` or `org/name/SKILL.md`) that every session has. */
  skillDirs: z.array(z.string().min(1)).optional(),
  /**
   * Functions of yours as tools, each made by `defineTool` of `@parley/tools`; only in `parley.config.ts` or `.js`. They run
   * in processes of their own, which import the file again; after a change of it they fail until the server is started
   * again. (Given to `start`, they run in the program that calls it.)
   */
  tools: z.array(z.custom<OwnTool>(isTool, 'not made by defineTool')).optional(),
  /** Holds a folder for each agent, by its name. Default `./agents`, which need not be there, and may come later. `PARLEY_AGENTS_DIR` */
  agentsDir: z.string().min(1).optional(),
  /** Holds a folder for each solution, by its id. Default `./solutions`, which need not be there, and may come later. `PARLEY_SOLUTIONS_DIR` */
  solutionsDir: z.string().min(1).optional(),
  /** LangChain tool objects; only in `parley.config.ts` or `.js`. */
  langchainTools: z.array(z.unknown()).optional(),
  /** How other protocols are spoken, each by its name; `false` for one that is not to be spoken at all. */
  faces: z
    .strictObject({
      /** The agent SSE protocol; see `agent-sse-options.ts`. */
      agentSse: z.union([z.literal(false), agentSseSchema]).optional(),
      /** The OneDragon chat protocol; see `onedragon-options.ts`. */
      onedragon: z.union([z.literal(false), onedragonSchema]).optional(),
    })
    .optional(),
  /** Days after which the workspace of an unused session that is not kept is removed. Default 30. */
  workspaceDays: z.number().positive().optional(),
  /** Whether the chat offers questions to go on with after an answer: one short model call each. Default true. `PARLEY_SUGGESTIONS` */
  suggestions: z.boolean().optional(),
  /** The model that names sessions after their first run, by one short call; without it they are called by their first words. `PARLEY_TITLE_MODEL` */
  titleModel: z.string().min(1).optional(),
  /** Whether people may make links that show a session to whoever has them. Default true. `PARLEY_PUBLIC_SHARING` */
  publicSharing: z.boolean().optional(),
  /** How long a stopping server lets answers and tools finish, in milliseconds. Default 10 000. `PARLEY_DRAIN_MS` */
  drainMs: z.int().min(0).max(600_000).optional(),
  /** What is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. Default `info`. `PARLEY_LOG_LEVEL` */
  logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
})

export type ServerOptions = z.infer<typeof optionsSchema>
/** As people write them: what has a default may be left out, at every depth. */
export type GivenOptions = z.input<typeof optionsSchema>

export const DEFAULTS = {
  host: '127.0.0.1',
  port: 8020,
  dataDir: '.parley',
  leaseMs: 10_000,
  allowedOrigins: [] as string[],
  language: 'zh' as const,
  maxSockets: 10_000,
  currency: 'USD',
  maxTurns: 50,
  compactAt: 0.8,
  answerLimits: { characters: 2_000_000, argumentCharacters: 1_000_000, calls: 2_000 },
  webFetch: 'named' as const,
  sandbox: 'sandbox-runtime' as const,
  sandboxNetwork: false,
  mcpServers: {},
  httpTools: [] as HttpToolOptions[],
  skillDirs: [] as string[],
  tools: [] as OwnTool[],
  langchainTools: [] as unknown[],
  workspaceDays: 30,
  policy: { rules: [], headless: 'fail' as const, confirmationMinutes: 15 },
  suggestions: true,
  publicSharing: true,
  faces: {},
  drainMs: 10_000,
  logLevel: 'info' as const,
} satisfies ServerOptions

/** Options with every default filled in; what has none may stay unsaid. */
export type ServerConfig = ServerOptions & { [K in keyof typeof DEFAULTS]: NonNullable<ServerOptions[K]> } & {
  /** The configuration file; absent where there is none. */
  file?: string
  /** The file that `tools` stand in, and what it and its imports were then; absent where a program gave them. */
  toolsFile?: { path: string; digests: FileDigests }
  /** Nobody has named `agentsDir`: without such a directory there are no agents, and nobody misses them. */
  mayLackAgents?: boolean
  /** The same for `solutionsDir`. */
  mayLackSolutions?: boolean
}

export function withDefaults(options: ServerOptions): ServerConfig {
  return { ...DEFAULTS, ...options } as ServerConfig
}
