import type { Mode } from '@parley/protocol'
import type { AgentVersion, SessionAgent } from './agents/agent-version.ts'
import { termsUnder } from './agents/terms.ts'
import type { Seal } from './auth/seal.ts'
import { isOfOwner, subjectOf } from './auth/users.ts'
import { systemPrompt } from './context/system-prompt.ts'
import type { World } from './feature.ts'
import type { Features } from './features.ts'
import { type LoadedRun, openCalls } from './runs/restore/load-run.ts'
import type { RunSetup } from './runs/runs-options.ts'
import { bucketsOf } from './store/env-bucket-rows.ts'
import { disabledTools, primarySkill } from './store/session-record.ts'
import { grants } from './tools/catalog.ts'
import type { TellClients } from './tools/define-tool.ts'
import { type SessionTools, toolsFor } from './tools/registry.ts'

type Session = SessionAgent & {
  id: string
  user_id: string
  disable_tools: string | null
  memory_enabled: number
  primary_skill: string | null
}

/** What sessions work with: what their agent says, and the catalogue's tools under its policy. */
export type ToolsOfSessions = {
  /** Also waits for tools that the run has called already. */
  forRun: (loaded: LoadedRun, notify: TellClients) => Promise<RunSetup>
  /** Starts what the session's agent brings, so that its first run need not wait for that. */
  warm: (session: SessionAgent & { id: string }) => Promise<void>
  /** To look at, not to run: without a run there are no variables, and nobody has named a host. */
  toLookAt: (session: Session, mode: Mode) => Promise<Pick<RunSetup, 'system' | 'tools' | 'hasLoopTool'>>
}

export function toolsOfSessions(
  { config, workspaces, engine, agents }: World,
  features: Features,
  seal: Seal,
): ToolsOfSessions {
  const { language } = config
  const { catalog, slowDown } = features
  const termsOf = termsUnder(config)
  const variables = (sealed: string | null) =>
    sealed === null ? {} : (JSON.parse(seal.open(sealed)) as Record<string, string>)

  const bind = async (
    session: Session,
    agent: AgentVersion | null,
    run: Pick<SessionTools, 'env' | 'notify' | 'isPlanning' | 'isHeadless' | 'hasConsent' | 'isNamed'>,
  ): Promise<Pick<RunSetup, 'tools' | 'hasLoopTool'>> => {
    const { policy, hasArgumentRules } = termsOf(agent)
    const isVisitor = (await subjectOf(engine, session.user_id)) !== null
    const ofSession = { ...session, isVisitor, isOfOwner: await isOfOwner(engine, session.user_id) }
    const disabled = [...disabledTools(session), ...features.switchedOff(ofSession)]
    const tools = toolsFor(() => catalog.of({ session_id: session.id, agent }), {
      ...run,
      session_id: session.id,
      workspace: () => workspaces.make(session.id),
      subject: () => subjectOf(engine, session.user_id),
      beforeWrite: (signal) => features.snapshots.beforeWrite(session.id, signal),
      language,
      disabled,
      policy,
      directory: hasArgumentRules ? workspaces.directoryOf(session.id) : undefined,
    })
    return { tools, hasLoopTool: (name) => grants(agent, name) && !disabled.includes(name) }
  }

  return {
    async forRun(loaded, notify) {
      const { session, run, options, named } = loaded
      const agent = await agents.ready(session)
      const { instructions, maxTurns, agentMaxTurns, consentMs, isConfigured } = termsOf(agent)
      const owner = { session_id: session.id, agent }
      using held = new DisposableStack()
      held.use(catalog.hold(owner))
      await catalog.refresh(owner, openCalls(loaded))
      const buckets = await engine.read(() => bucketsOf(session.user_id))
      const ofUser = Object.assign({}, ...buckets.map(({ sealed }) => variables(sealed))) as Record<string, string>
      const env = { ...ofUser, ...variables(session.env), ...variables(run.secrets) }
      const bound = await bind(session, agent, {
        env,
        notify: slowDown(session.id, notify),
        isPlanning: options.mode === 'planning',
        isHeadless: options.headless,
        hasConsent: options.has_consent === true,
        isNamed: (url) => isConfigured(url) || named.has(url),
      })
      const system = systemPrompt(instructions, { mode: options.mode, skill: primarySkill(session) })
      const secrets = () => features.masks.values(session.id)
      const kept = held.move()
      return { ...bound, system, maxTurns, agentMaxTurns, consentMs, secrets, [Symbol.dispose]: () => kept.dispose() }
    },
    async warm(session) {
      const agent = await agents.ready(session)
      if (agent) await catalog.refresh({ session_id: session.id, agent }, [])
    },
    async toLookAt(session, mode) {
      const agent = await agents.of(session)
      const { instructions, isConfigured } = termsOf(agent)
      await catalog.refresh({ session_id: session.id, agent }, [])
      const bound = await bind(session, agent, {
        env: {},
        notify: () => undefined,
        isPlanning: mode === 'planning',
        isHeadless: false,
        hasConsent: false,
        isNamed: isConfigured,
      })
      return { ...bound, system: systemPrompt(instructions, { mode, skill: primarySkill(session) }) }
    },
  }
}
