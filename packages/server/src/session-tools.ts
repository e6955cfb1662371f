import type { Mode } from '@parley/protocol'
import type { Seal } from './auth/seal.ts'
import { subjectOf } from './auth/users.ts'
import { configuredHosts } from './configured-hosts.ts'
import { createPolicy } from './confirm/policy.ts'
import type { World } from './feature.ts'
import type { Features } from './features.ts'
import type { Tools } from './ports.ts'
import { type LoadedRun, openCalls } from './runs/restore/load-run.ts'
import { disabledTools } from './store/session-record.ts'
import type { TellClients } from './tools/define-tool.ts'
import { type SessionTools, toolsFor } from './tools/registry.ts'

type Session = { id: string; user_id: string; disable_tools: string | null }

/** The tools of sessions, under the policy: what `tools/registry.ts` makes of the catalogue for one of them. */
export type ToolsOfSessions = {
  /** Also waits for those that the run has called already. */
  forRun: (loaded: LoadedRun, notify: TellClients) => Promise<Tools>
  /** To look at, not to run: without a run there are no variables, and nobody has named a host. */
  toLookAt: (session: Session, mode: Mode) => Tools
}

export function toolsOfSessions(
  { config, workspaces, engine }: World,
  features: Features,
  seal: Seal,
): ToolsOfSessions {
  const { language } = config
  const { rules, headless } = config.policy
  const { catalog, slowDown } = features
  const policy = createPolicy({ rules, headless })
  const hasArgumentRules = rules.some((rule) => rule.arguments !== undefined)
  const isConfigured = configuredHosts(config)
  const variables = (sealed: string | null) =>
    sealed === null ? {} : (JSON.parse(seal.open(sealed)) as Record<string, string>)
  const bind = (
    session: Session,
    run: Pick<SessionTools, 'env' | 'notify' | 'isPlanning' | 'isHeadless' | 'isNamed'>,
  ) =>
    toolsFor(() => catalog.of(session.id), {
      ...run,
      session_id: session.id,
      workspace: () => workspaces.make(session.id),
      subject: () => subjectOf(engine, session.user_id),
      language,
      disabled: disabledTools(session),
      policy,
      directory: hasArgumentRules ? workspaces.directoryOf(session.id) : undefined,
    })
  return {
    async forRun(loaded, notify) {
      const { session, run, options, named } = loaded
      await catalog.refresh(session.id, openCalls(loaded))
      return bind(session, {
        env: { ...variables(session.env), ...variables(run.secrets) },
        notify: slowDown(session.id, notify),
        isPlanning: options.mode === 'planning',
        isHeadless: options.headless,
        isNamed: (url) => isConfigured(url) || named.has(url),
      })
    },
    toLookAt: (session, mode) =>
      bind(session, {
        env: {},
        notify: () => undefined,
        isPlanning: mode === 'planning',
        isHeadless: false,
        isNamed: isConfigured,
      }),
  }
}
