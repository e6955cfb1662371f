import type { Tool, ToolKind } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { Search } from '../../ui/icons.tsx'
import { type KeyboardEvent, useRef } from 'react'
import { Link, useSearchParams } from 'wouter'
import { toolsQuery } from '../../data/tools.ts'
import { routes } from '../../routes.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useWords } from '../../texts/language.ts'
import { useFormat } from '../../texts/format.ts'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { SandboxLine } from './sandbox-line.tsx'
import { ServerRows } from './server-rows.tsx'
import { toolWords } from './words.ts'

const KINDS: readonly ToolKind[] = ['built_in', 'mcp', 'skill', 'own', 'http']

/** What agents can do here, what happens to each call, and how foreign servers are. */
export function Page() {
  const words = useWords(toolWords)
  const [params, setParams] = useSearchParams()
  const { data, error, isPending, refetch } = useQuery(toolsQuery)
  const search = useRef<HTMLInputElement>(null)
  const sheet = useRef<HTMLDivElement>(null)
  const typed = params.get('q') ?? ''
  const kind = KINDS.find((one) => one === params.get('kind')) ?? null
  const change = (name: 'q' | 'kind', value: string) => {
    const next = new URLSearchParams(params)
    if (value) next.set(name, value)
    else next.delete(name)
    setParams(next, { replace: true })
  }
  const move = (step: 1 | -1) => {
    const rows = [...(sheet.current?.querySelectorAll<HTMLElement>('a[data-row]') ?? [])]
    rows[rows.indexOf(document.activeElement as HTMLElement) + step]?.focus()
  }
  useShortcuts({ '/': () => search.current?.focus(), j: () => move(1), k: () => move(-1) })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key]
    if (step === undefined || !(event.target as Element).matches('a[data-row]')) return
    event.preventDefault()
    move(step)
  }
  const tools = data?.items.filter((tool) => (kind === null || tool.kind === kind) && isNamed(tool, typed)) ?? []
  return (
    <Frame>
      <SheetBar title={<h1>{words.title}</h1>}>
        <label className="relative w-60 max-md:w-40">
          <span className="sr-only">{words.search}</span>
          <Search
            size={16}

            aria-hidden="true"
            className="absolute top-2 left-3 text-muted max-md:top-3"
          />
          <input
            ref={search}
            type="search"
            value={typed}
            placeholder={words.search}
            onChange={(event) => change('q', event.target.value)}
            className="min-h-8 w-full rounded-control bg-hover pr-3 pl-9 text-13 placeholder:text-muted max-md:min-h-11"
          />
        </label>
      </SheetBar>
      <div ref={sheet} onKeyDown={onKeyDown} className="grow overflow-y-auto">
        <div className="mx-auto flex max-w-form flex-col gap-6 p-6 max-md:p-4">
          {error && !data ? <Failure error={error} retry={() => void refetch()} /> : null}
          {isPending ? <Skeleton rows={10} /> : null}
          {data ? (
            <>
              <SandboxLine sandbox={data.sandbox} />
              <Filter tools={data.items} kind={kind} onChange={(one) => change('kind', one ?? '')} />
              {(kind === null || kind === 'mcp') && !typed ? <ServerRows /> : null}
              <section aria-labelledby="tools-list" className="flex flex-col gap-2">
                <h2 id="tools-list" className="text-14 font-semibold">
                  {words.tools}
                </h2>
                {tools.length === 0 ? (
                  <p className="py-4 text-13 text-muted">{words.noMatch}</p>
                ) : (
                  <ToolTable tools={tools} />
                )}
              </section>
            </>
          ) : null}
        </div>
      </div>
    </Frame>
  )
}

type FilterProps = { tools: readonly Tool[]; kind: ToolKind | null; onChange: (kind: ToolKind | null) => void }

function Filter({ tools, kind, onChange }: FilterProps) {
  const words = useWords(toolWords)
  const counted = KINDS.map((one) => ({ one, count: tools.filter((tool) => tool.kind === one).length }))
  const choices = [{ one: null, count: tools.length }, ...counted.filter(({ count }) => count > 0)]
  return (
    <div role="group" aria-label={words.filter} className="flex flex-wrap gap-1">
      {choices.map(({ one, count }) => (
        <button
          key={one ?? 'all'}
          type="button"
          aria-pressed={one === kind}
          onClick={() => onChange(one)}
          className="min-h-7 rounded-full px-3 text-13 text-muted hover:bg-hover aria-pressed:bg-selected aria-pressed:font-medium aria-pressed:text-text max-md:min-h-11"
        >
          {one === null ? words.all : words.kinds[one]} <span className="tabular-nums">{count}</span>
        </button>
      ))}
    </div>
  )
}

function ToolTable({ tools }: { tools: readonly Tool[] }) {
  const words = useWords(toolWords)
  const format = useFormat()
  const heads = [words.name, words.risk, words.runs, words.replay, words.used]
  return (
    <table className="w-full text-left text-13">
      <thead className="max-md:sr-only">
        <tr className="border-b border-line text-12 text-muted">
          {heads.map((head, at) => (
            <th
              key={head}
              scope="col"
              className={`py-2 font-medium ${at === heads.length - 1 ? 'text-right' : 'pr-4'}`}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {tools.map((tool) => (
          <tr key={tool.name} className="border-b border-line max-md:flex max-md:flex-wrap max-md:gap-x-3 max-md:py-2">
            <th scope="row" className="py-2 pr-4 font-normal max-md:w-full max-md:py-0">
              <Link
                data-row=""
                href={routes.tool(tool.name)}
                className="flex min-h-5 flex-wrap items-baseline gap-x-2 font-medium hover:underline max-md:min-h-6"
              >
                {tool.display_name}
                {tool.display_name === tool.name ? null : (
                  <code className="max-w-60 truncate font-mono text-12 font-normal text-muted">{tool.name}</code>
                )}
              </Link>
              {tool.status === 'ready' ? null : <p className="text-12 text-danger">{words.statuses[tool.status]}</p>}
            </th>
            <td className={`py-2 pr-4 max-md:py-0 max-md:pr-0 ${tool.risk === 'high' ? 'text-danger' : 'text-muted'}`}>
              <span className="md:hidden">{words.risk} </span>
              {words.risks[tool.risk]}
            </td>
            <td className="py-2 pr-4 max-md:py-0 max-md:pr-0">{words.decisions[tool.policy.decision]}</td>
            <td className="py-2 pr-4 text-muted max-md:hidden">
              {tool.is_internal ? words.once : (words.replays[tool.replay ?? ''] ?? '–')}
            </td>
            <td className="py-2 text-right tabular-nums text-muted max-md:hidden">
              {tool.used_today === null ? '–' : format.number(tool.used_today)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function isNamed({ name, display_name }: Tool, typed: string): boolean {
  return `${name}\n${display_name}`.toLowerCase().includes(typed.trim().toLowerCase())
}
