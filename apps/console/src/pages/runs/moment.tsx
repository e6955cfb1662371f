import { ReadOnlyThread } from '@parley/chatkit'
import type { RecordedEvent } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { modelCallQuery } from '../../data/runs.ts'
import { useLanguage, useWords } from '../../texts/language.ts'
import { useTheme } from '../../theme/theme-choice.ts'
import type { Scrubber } from '../../timeline/scrubber.ts'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { momentOf } from './times.ts'
import { type View, VIEWS } from './use-playhead.ts'
import { runWords } from './words.ts'

type MomentProps = {
  session_id: string
  events: readonly RecordedEvent[]
  scrubber: Scrubber
  count: number
  view: View
  onView: (view: View) => void
}

/** What people saw, what the model got and what lies in the record, after the event under the playhead. */
export function Moment({ session_id, events, scrubber, count, view, onView }: MomentProps) {
  const words = useWords(runWords)
  const here = events[count - 1]
  return (
    <section aria-label={words.moment} className="flex min-h-0 grow flex-col bg-raised">
      <header className="flex flex-none flex-wrap items-center justify-between gap-2 px-5 py-3 max-md:px-4">
        <div>
          <h2 className="text-14 font-semibold">{words.moment}</h2>
          <p className="text-12 text-muted">{here ? words.recorded(momentOf(here.at)) : ''}</p>
        </div>
        <div role="radiogroup" aria-label={words.moment} className="flex gap-1 rounded-control bg-hover p-1">
          {VIEWS.map((one, index) => (
            <button
              key={one}
              type="button"
              role="radio"
              aria-checked={one === view}
              title={`${words.views[one]} (${index + 1})`}
              onClick={() => onView(one)}
              className="min-h-6 rounded-inner px-2 text-12 text-muted hover:text-text aria-checked:bg-surface aria-checked:text-text max-md:min-h-9"
            >
              {words.views[one]}
            </button>
          ))}
        </div>
      </header>
      {view === 'people' ? <PeopleSaw events={events} scrubber={scrubber} count={count} /> : null}
      {view === 'model' ? <ModelGot session_id={session_id} events={events} scrubber={scrubber} count={count} /> : null}
      {view === 'raw' ? <Raw event={here} /> : null}
    </section>
  )
}

type SeenProps = Pick<MomentProps, 'events' | 'scrubber' | 'count'>

function PeopleSaw({ events, scrubber, count }: SeenProps) {
  const words = useWords(runWords)
  const language = useLanguage()
  const theme = useTheme()
  const projection = useMemo(() => scrubber.at(count), [scrubber, count])
  const turns = useMemo(() => projection.turns.filter(({ deprecated }) => !deprecated), [projection])
  return (
    <div className="flex min-h-0 grow flex-col gap-2 px-5 pb-4 max-md:px-4">
      <div className="run-thread min-h-0 grow overflow-hidden rounded-card border border-line bg-surface">
        {turns.length === 0 ? (
          <Empty title={words.nothingShown} />
        ) : (
          <ReadOnlyThread
            turns={turns}
            tasks={projection.tasks}
            theme={theme}
            locale={language === 'zh' ? 'zh-CN' : 'en'}
            showAuthors={false}
            ownMessages="end"
            className="h-full"
          />
        )}
      </div>
      <p className="flex-none font-mono text-11 text-muted">
        {words.sameFold(events[0]?.event_seq ?? 0, events[count - 1]?.event_seq ?? 0)}
      </p>
    </div>
  )
}

function ModelGot({ session_id, events, scrubber, count }: SeenProps & { session_id: string }) {
  const words = useWords(runWords)
  const index = events.slice(0, count).findLastIndex(({ type }) => type === 'run:model_input')
  const call = events[index]
  const { data, error, refetch } = useQuery({ ...modelCallQuery(session_id, call?.event_seq ?? 0), enabled: !!call })
  const leftOut = useMemo(
    () => scrubber.at(index).turns.filter(({ failure_reason }) => failure_reason === 'server_stopped').length,
    [scrubber, index],
  )
  if (!call) return <Empty title={words.noCall} />
  if (error) return <Failure error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton />
  if (!data.input) return <Empty title={words.notReadable} />
  const { system, messages, tools } = data.input
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={words.views.model}
      className="flex min-h-0 grow flex-col gap-3 overflow-y-auto px-5 pb-4 max-md:px-4"
    >
      <p className="text-12 text-muted">{words.given(data.model, messages.length, tools.length)}</p>
      <Part title={words.system} text={system} />
      {messages.map((message, at) => (
        <Part key={at} title={words.roles[message.role] ?? message.role} text={textIn(message)} isOpen />
      ))}
      <Part title={words.tools} text={tools.map(({ name, description }) => `${name}\n${description}`).join('\n\n')} />
      {leftOut > 0 ? (
        <div className="rounded-card border border-line bg-surface p-3 text-13">
          <p className="font-medium">{words.leftOut(leftOut)}</p>
          <p className="text-12 text-muted">{words.leftOutText}</p>
        </div>
      ) : null}
    </div>
  )
}

function Part({ title, text, isOpen = false }: { title: string; text: string; isOpen?: boolean }) {
  return (
    <details open={isOpen} className="rounded-card border border-line bg-surface">
      <summary className="px-3 py-2 text-12 font-medium text-muted">{title}</summary>
      <pre className="overflow-x-auto px-3 pb-3 font-mono text-12 whitespace-pre-wrap">{text}</pre>
    </details>
  )
}

/** Plain text as it is; whatever else, as JSON. */
function textIn({ role: _role, ...rest }: { role: string; content?: unknown }): string {
  const { content } = rest
  if (typeof content === 'string') return content
  const parts = Object.values(rest).find((value) => Array.isArray(value)) as
    | { type?: string; text?: string }[]
    | undefined
  if (parts?.every((part) => part.type === 'text' && typeof part.text === 'string'))
    return parts.map(({ text }) => text).join('\n')
  return JSON.stringify(rest, null, 2)
}

function Raw({ event }: { event: RecordedEvent | undefined }) {
  const words = useWords(runWords)
  return (
    <pre
      tabIndex={0}
      aria-label={words.views.raw}
      className="mx-5 mb-4 min-h-0 grow overflow-auto rounded-card border border-line bg-surface p-3 font-mono text-12 whitespace-pre-wrap max-md:mx-4"
    >
      {event ? JSON.stringify(event, null, 2) : ''}
    </pre>
  )
}
