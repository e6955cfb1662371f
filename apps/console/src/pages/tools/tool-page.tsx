import type { ToolDetail } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { meQuery } from '../../data/account.ts'
import { toolQuery } from '../../data/tools.ts'
import { routes } from '../../routes.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { useFormat } from '../../texts/format.ts'
import { useLanguage, useWords } from '../../texts/language.ts'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { ChangedTool } from './changed-tool.tsx'
import { toolWords } from './words.ts'

/** One tool: what the model reads of it, what happens to a call, and the reader's own calls. */
export function Page() {
  const { name } = useParams<{ name: string }>()
  const called = decodeURIComponent(name)
  const { data: tool, error, isPending, refetch } = useQuery(toolQuery(called))
  return (
    <Frame>
      <SheetBar title={<h1>{tool?.display_name ?? called}</h1>} up={routes.tools} />
      <div className="grow overflow-y-auto">
        <div className="mx-auto flex max-w-form flex-col gap-6 p-6 max-md:p-4">
          {error && !tool ? <Failure error={error} retry={() => void refetch()} /> : null}
          {isPending ? <Skeleton /> : null}
          {tool ? <Told tool={tool} /> : null}
        </div>
      </div>
    </Frame>
  )
}

function Told({ tool }: { tool: ToolDetail }) {
  const words = useWords(toolWords)
  const { data: me } = useQuery(meQuery)
  const { name, kind, risk, server, versions, description } = tool
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 text-13 text-muted">
        <code className="font-mono break-all">{name}</code>
        <span>{words.kinds[kind]}</span>
        <span
          data-high={risk === 'high' || undefined}
          className="on-tint rounded-full bg-hover px-2 text-12 text-text data-high:bg-danger-soft data-high:text-danger"
        >
          {words.risk} {words.risks[risk]}
        </span>
        {server ? (
          <Link
            href={routes.mcpServer(server + name.slice(name.indexOf('@') < 0 ? name.length : name.indexOf('@')))}
            className="text-accent"
          >
            {server}
          </Link>
        ) : null}
      </p>
      {versions ? <ChangedTool name={name} versions={versions} isOwner={me?.role === 'owner'} /> : null}
      <Section title={words.described}>
        <p className="max-w-chat text-14 whitespace-pre-wrap">{description}</p>
      </Section>
      <Section title={words.parameters}>
        <Parameters schema={tool.input} />
      </Section>
      <Section title={words.policy}>
        <PolicyWords tool={tool} isOwner={me?.role === 'owner'} />
      </Section>
      <Section title={words.calls}>
        <Calls tool={tool} />
      </Section>
    </>
  )
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-14 font-semibold">{title}</h2>
      {children}
    </section>
  )
}

type Property = { type?: string | string[]; description?: string; enum?: unknown[] }

function Parameters({ schema }: { schema: Record<string, unknown> }) {
  const words = useWords(toolWords)
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Property>)
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : [])
  if (properties.length === 0) return <p className="text-13 text-muted">{words.noParameters}</p>
  return (
    <dl className="rounded-card border border-line text-13">
      {properties.map(([name, { type, description }]) => (
        <div key={name} className="flex flex-col gap-1 border-b border-line px-4 py-2 last:border-b-0">
          <dt className="flex flex-wrap items-baseline gap-2">
            <code className="font-mono break-all">{name}</code>
            <span className="text-12 text-muted">{[type].flat().filter(Boolean).join(' | ')}</span>
            {required.has(name) ? <span className="text-12 text-muted">{words.required}</span> : null}
          </dt>
          <dd className="text-muted empty:hidden">{description}</dd>
        </div>
      ))}
    </dl>
  )
}

function PolicyWords({ tool, isOwner }: { tool: ToolDetail; isOwner: boolean }) {
  const words = useWords(toolWords)
  const language = useLanguage()
  const { policy, risk, replay, is_internal } = tool
  const decision = words.decisions[policy.decision]
  const list = new Intl.ListFormat(language)
  const exceptions = policy.exceptions.map((one) => words.exception(one.rule, words.decisions[one.decision]))
  return (
    <div className="flex max-w-chat flex-col gap-1 text-14">
      <p>
        {policy.rule === null
          ? policy.by === 'confirmation'
            ? words.byConfirmation
            : words.byRisk(words.risks[risk], decision)
          : words.byRule(policy.rule, decision)}
      </p>
      {exceptions.length > 0 ? <p>{words.exceptions(list.format(exceptions))}</p> : null}
      {policy.asks_for_hosts ? <p>{words.hosts}</p> : null}
      {replay === undefined ? null : (
        <p className="text-muted">{words.afterCrash(is_internal ? words.once : (words.replays[replay] ?? replay))}</p>
      )}
      {isOwner ? (
        <Link href={routes.settings('policy')} className="w-fit text-13 font-medium text-accent">
          {words.seePolicy}
        </Link>
      ) : null}
    </div>
  )
}

function Calls({ tool: { calls, used_today } }: { tool: ToolDetail }) {
  const words = useWords(toolWords)
  const format = useFormat()
  if (calls.length === 0)
    return <p className="text-13 text-muted">{used_today === null ? words.notRecorded : words.noCalls}</p>
  return (
    <ul>
      {calls.map(({ tool_call_id, at, session_id, session_title }) => (
        <li key={tool_call_id} className="border-b border-line text-13">
          <Link
            href={routes.session(session_id)}
            className="flex min-h-[34px] items-center justify-between gap-4 hover:bg-hover max-md:min-h-11"
          >
            <span className="truncate">{session_title || words.untitled}</span>
            <time dateTime={at} title={format.absolute(at)} className="flex-none text-12 text-muted">
              {format.ago(at)}
            </time>
          </Link>
        </li>
      ))}
    </ul>
  )
}
