import type { ScheduledTask } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { Ellipsis, Pencil, Play, Trash } from '../../ui/icons.tsx'
import { Link } from 'wouter'
import { previewQuery } from '../../data/schedules.ts'
import { routes } from '../../routes.ts'
import { SheetBar } from '../../shell/frame.tsx'
import { useFormat } from '../../texts/format.ts'
import { useLanguage, useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Switch } from '../../ui/field.tsx'
import { lastReadWords } from '../../ui/last-read.tsx'
import { Menu } from '../../ui/menu.tsx'
import { NextRuns } from './next-runs.tsx'
import { RunHistory } from './run-history.tsx'
import { timingWords } from './timing-words.ts'
import { useScheduleDeeds } from './use-schedule-deeds.ts'
import { scheduleWords } from './words.ts'

type DetailProps = { task: ScheduledTask; isCut: boolean }

/** When it is due, what it says to the agent, and what became of it so far. */
export function ScheduleDetail({ task, isCut }: DetailProps) {
  const words = useWords(scheduleWords)
  const language = useLanguage()
  const format = useFormat()
  const { cron, timezone, enabled, expires_at, next_run_at } = task
  const { data: preview } = useQuery({ ...previewQuery(cron, timezone), enabled })
  return (
    <>
      <SheetBar back={routes.schedules} title={<h2 className="truncate">{task.title}</h2>}>
        <div className="flex items-center gap-2 max-md:hidden">
          <Deeds task={task} isCut={isCut} />
        </div>
        {isCut ? null : <More task={task} />}
      </SheetBar>
      <div className="grow overflow-y-auto">
        <div className="mx-auto flex max-w-form flex-col gap-6 p-6 max-md:p-4">
          <section className="flex flex-col gap-2">
            <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <span className="text-20 font-semibold">{timingWords(cron, language)}</span>
              <span className="text-13 text-muted">{timezone}</span>
              <code className="rounded-chip bg-raised px-1 font-mono text-13 text-muted">{cron}</code>
            </p>
            {enabled && next_run_at ? (
              <NextRuns timezone={timezone} times={nextRuns(task, preview?.next)} />
            ) : (
              <p className="text-13 text-muted">{enabled ? words.noMore : words.noNext}</p>
            )}
            {expires_at ? (
              <p className="text-13 text-muted">{words.until(format.inZone(expires_at, timezone))}</p>
            ) : null}
          </section>
          <section className="flex flex-col gap-2">
            <h3 className="text-12 font-medium text-muted">{words.prompt}</h3>
            <p className="max-w-[75ch] text-15 break-words whitespace-pre-wrap">{task.prompt}</p>
            <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-13">
              <dt className="text-muted">{words.model}</dt>
              <dd>{task.model ?? words.defaultModel}</dd>
              <dt className="text-muted">{words.consent}</dt>
              <dd>{task.skip_confirmations ? words.asksNobody : words.asks}</dd>
            </dl>
          </section>
          <RunHistory task={task} />
        </div>
      </div>
      <footer className="flex flex-none items-center gap-3 border-t border-line px-4 py-2 md:hidden">
        <Deeds task={task} isCut={isCut} />
      </footer>
    </>
  )
}

/** Its own next one is what the server will do; what it foresees comes behind that, up to the end. */
function nextRuns({ next_run_at, expires_at }: ScheduledTask, foreseen: readonly string[] = []): string[] {
  const next = next_run_at ?? ''
  const later = foreseen.filter((at) => at > next && (expires_at === null || at <= expires_at))
  return [next, ...later].slice(0, 5)
}

function Deeds({ task, isCut }: DetailProps) {
  const words = useWords(scheduleWords)
  const cut = useWords(lastReadWords)
  const deeds = useScheduleDeeds()
  const why = isCut ? cut.why : undefined
  return (
    <>
      <Switch
        label={words.on}
        checked={task.enabled}
        disabled={isCut}
        title={why ?? 't'}
        onChange={() => deeds.toggle(task)}
      />
      <Link
        href={routes.editSchedule(task.id)}
        className="inline-flex min-h-8 items-center gap-2 rounded-control px-3 text-13 font-medium hover:bg-hover max-md:min-h-11 max-md:grow max-md:justify-center"
      >
        <Pencil size={16} aria-hidden="true" />
        {words.edit}
      </Link>
      <Button disabled={isCut} title={why ?? 'Shift R'} className="max-md:grow" onClick={() => deeds.run(task)}>
        <Play size={16} aria-hidden="true" />
        {words.runNow}
      </Button>
    </>
  )
}

function More({ task }: { task: ScheduledTask }) {
  const words = useWords(scheduleWords)
  const deeds = useScheduleDeeds()
  return (
    <Menu
      label={words.more(task.title)}
      items={[
        {
          label: words.delete,
          icon: <Trash size={16} />,
          shortcut: 'Del',
          isDangerous: true,
          onSelect: () => deeds.remove(task),
        },
      ]}
    >
      <Ellipsis size={18} />
    </Menu>
  )
}
