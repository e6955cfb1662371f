import type { McpServerHealth } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { meQuery } from '../../data/account.ts'
import { mcpServersQuery, toolsQuery } from '../../data/tools.ts'
import { routes } from '../../routes.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { stateWords } from '../../ui/states-words.ts'
import { ServerState } from './server-state.tsx'
import { useServerCare } from './use-server-care.tsx'
import { toolWords } from './words.ts'

/** One foreign server: how it is, why, what it offers, and what can be done about it. */
export function Page() {
  const words = useWords(toolWords)
  const states = useWords(stateWords)
  const { name } = useParams<{ name: string }>()
  const called = decodeURIComponent(name)
  const { data: servers, error, isPending, refetch } = useQuery(mcpServersQuery)
  const { data: me } = useQuery(meQuery)
  const care = useServerCare()
  const isOwner = me?.role === 'owner'
  useShortcuts({ t: () => isOwner && care.test(called) })
  const server = servers?.find((one) => one.name === called)
  return (
    <Frame>
      <SheetBar title={<h1>{server?.server ?? called}</h1>} up={routes.tools}>
        {server && isOwner ? (
          <>
            <Button kind="quiet" disabled={care.busy !== null} onClick={() => care.askRestart(server)}>
              {words.restart}
            </Button>
            <Button isBusy={care.busy !== null} onClick={() => care.test(server.name)}>
              {words.test}
            </Button>
          </>
        ) : null}
      </SheetBar>
      <div className="grow overflow-y-auto">
        <div className="mx-auto flex max-w-form flex-col gap-6 p-6 max-md:p-4">
          {error && !servers ? <Failure error={error} retry={() => void refetch()} /> : null}
          {isPending ? <Skeleton /> : null}
          {servers && !server ? <Empty title={states.gone} /> : null}
          {server ? <Facts server={server} /> : null}
          {server?.failure ? (
            <section className="flex flex-col gap-2">
              <h2 className="text-14 font-semibold">{words.fix}</h2>
              <p className="max-w-chat text-14 text-muted">{words.fixes[server.failure.code]}</p>
            </section>
          ) : null}
          {server ? <ToolsOf server={server} /> : null}
          {server && me && !isOwner ? <p className="text-13 text-muted">{words.onlyOwner}</p> : null}
        </div>
      </div>
      {care.dialog}
    </Frame>
  )
}

function Facts({ server }: { server: McpServerHealth }) {
  const words = useWords(toolWords)
  const { serverFacts: facts } = words
  const format = useFormat()
  const { state, failure, last_success_at, retries, next_try_at, transport, agent } = server
  const time = (at: string) => (
    <time dateTime={at} title={format.absolute(at)}>
      {format.ago(at)}
    </time>
  )
  const rows: [string, ReactNode][] = [
    [facts.state, <ServerState key="state" state={state} />],
    ...(failure
      ? ([
          [
            facts.why,
            <span key="why">
              {failure.reason} · {time(failure.at)}
            </span>,
          ],
        ] as [string, ReactNode][])
      : []),
    ...(failure?.said?.length
      ? ([[facts.said, <Said key="said" lines={failure.said} />]] as [string, ReactNode][])
      : []),
    [facts.since, last_success_at === null ? facts.never : time(last_success_at)],
    ...(retries > 0
      ? ([
          [facts.retries, format.number(retries)],
          [facts.next, next_try_at === null ? facts.now : time(next_try_at)],
        ] as [string, ReactNode][])
      : []),
    [facts.kind, facts[transport]],
    ...(agent === null ? [] : ([[facts.agent, agent]] as [string, ReactNode][])),
  ]
  return (
    <dl className="grid grid-cols-[minmax(120px,auto)_1fr] gap-x-4 gap-y-2 text-13">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Said({ lines }: { lines: readonly string[] }) {
  return (
    <pre className="rounded-control bg-raised p-3 font-mono text-12 break-words whitespace-pre-wrap">
      {lines.join('\n')}
    </pre>
  )
}

function ToolsOf({ server }: { server: McpServerHealth }) {
  const words = useWords(toolWords)
  const { data } = useQuery(toolsQuery)
  const mark = server.name.slice(server.server.length)
  const tools = data?.items.filter((tool) => tool.server === server.server && tool.name.endsWith(mark)) ?? []
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-14 font-semibold">{words.tools}</h2>
      {tools.length === 0 ? <p className="text-13 text-muted">{words.noTools}</p> : null}
      <ul>
        {tools.map(({ name, display_name, status }) => (
          <li key={name} className="border-b border-line text-13">
            <Link
              href={routes.tool(name)}
              className="flex min-h-[34px] flex-wrap items-center gap-x-2 hover:underline max-md:min-h-11"
            >
              {display_name}
              {status === 'blocked' ? <span className="text-12 text-danger">{words.statuses.blocked}</span> : null}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
