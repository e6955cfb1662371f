import { randomBytes, randomUUID } from 'node:crypto'
import { openAgents } from '../agents/open-agents.ts'
import { loadSecret } from '../auth/secret.ts'
import { ensureOwner } from '../auth/users.ts'
import { withDefaults } from '../config/options.ts'
import { createEgress } from '../egress/egress.ts'
import { recallAll } from '../context/recall.ts'
import { knowledgeFeature } from '../knowledge/knowledge-feature.ts'
import { createLogger } from '../logging.ts'
import { openCore } from '../open-core.ts'
import { openStore } from '../open-store.ts'
import { openWorld } from '../open-world.ts'
import { prepareDataDirectory } from '../prepare-data-directory.ts'
import { Journal } from '../store/journal.ts'
import { ToolCatalog } from '../tools/catalog.ts'
import { VERSION } from '../version.ts'
import { agentChats } from './agent-chats.ts'
import { givenKnowledge } from './given-knowledge.ts'
import { givenModels } from './given-models.ts'
import type { InProcess, InProcessOptions, LogLine } from './in-process.ts'
import { setupOfRuns } from './setup-of-runs.ts'

const IN_MEMORY = ':memory:'
/** How long answers and tools that are under way may take when it is closed. */
const DRAIN_MS = 2_000

/** Also takes up what runs of an earlier process have left: whatever they need must be there by now. */
export async function openInProcess(options: InProcessOptions): Promise<InProcess> {
  const { dataDir = IN_MEMORY, language, log } = options
  await using parts = new AsyncDisposableStack()
  const config = withDefaults({ dataDir, language, drainMs: DRAIN_MS })
  const logger = await createLogger({ logLevel: 'warn' }, false, { write: (line) => log(lineOf(line)) })
  const warning = dataDir === IN_MEMORY ? null : prepareDataDirectory(dataDir)
  if (warning) logger.warn(warning)
  const engine = parts.use(await openStore(config))
  const configured = dataDir === IN_MEMORY ? randomBytes(32).toString('hex') : undefined
  const secret = await loadSecret({ engine, dataDir, configured, randomBytes })
  const egress = parts.use(createEgress())
  const key = secret.key('agents')
  const agents = openAgents({ engine, dataDir, key, randomBytes, language, logger })
  const models = givenModels(options.findModel, config.answerLimits)
  const journal = new Journal(engine, randomUUID)
  const address = new Promise<string>(() => undefined)
  const world = openWorld(
    { config, engine, journal, logger, version: VERSION, secret, address, egress, agents, models },
    parts,
  )
  const user_id = `user_${randomBytes(12).toString('hex')}`
  const owner = await engine.write(() => ensureOwner(user_id, new Date().toISOString()))
  const tools = setupOfRuns(options)
  const seal = world.sealFor('runtime_env')
  // After the runs have left, and before the store does: nobody waits for events that cannot come.
  const closed = new AbortController()
  parts.defer(() => closed.abort())
  const { knowledge, recall, tables, close } = knowledgeFeature(world, false)
  parts.defer(close)
  const onError = (error: unknown) => logger.warn({ err: error }, 'nothing could be recalled for a message')
  const features = { ...NO_FEATURES, tables, recall: recallAll([recall], onError) }
  const { sessions, source } = await openCore({ world, models, features, tools, seal }, parts)
  const opened = parts.move()
  const principal = { user_id: owner }
  const chats = agentChats({
    ...{ engine, sessions, principal, language, closed: closed.signal },
    source: source({ language, audience: 'account' }),
  })
  return {
    ...chats,
    knowledge: givenKnowledge(knowledge, owner),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** All but knowledge. */
const NO_FEATURES = {
  catalog: new ToolCatalog([]),
  own: () => [],
  dropSession: async () => undefined,
  hasMemory: false,
  sharesWorkspaces: async () => true,
}

function lineOf(text: string): LogLine {
  const { level, msg = '', time: _time, ...details } = JSON.parse(text) as { level: number; msg?: string; time: number }
  return { level: level >= 50 ? 'error' : 'warn', message: msg, details }
}
