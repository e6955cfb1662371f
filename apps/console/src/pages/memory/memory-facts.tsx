import type { Memory } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { memoryHistoryQuery } from '../../data/memories.ts'
import { routes } from '../../routes.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { SessionLink } from './memory-table.tsx'
import { memoryWords, stateOf } from './words.ts'

/** How a memory came about, how often it was used, and what it replaced. */
export function MemoryFacts({ memory }: { memory: Memory }) {
  const words = useWords(memoryWords)
  const format = useFormat()
  const { created_at, updated_at, last_hit_at, hit_count, write_reason, source_session } = memory
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-13 [&>dt]:text-muted">
        <dt>{words.state}</dt>
        <dd>{words.states[stateOf(memory)]}</dd>
        <dt>{words.used}</dt>
        <dd>
          {words.times(format.number(hit_count))}
          {last_hit_at ? (
            <>
              {' · '}
              <Time at={last_hit_at} />
            </>
          ) : null}
        </dd>
        <dt>{words.from}</dt>
        <dd className="truncate">{source_session ? <SessionLink id={source_session} /> : words.byHand}</dd>
        <dt>{words.made}</dt>
        <dd>
          <Time at={created_at} />
        </dd>
        {updated_at && updated_at !== created_at ? (
          <>
            <dt>{words.changed}</dt>
            <dd>
              <Time at={updated_at} />
            </dd>
          </>
        ) : null}
        {write_reason ? (
          <>
            <dt>{words.why}</dt>
            <dd className="break-words">{write_reason}</dd>
          </>
        ) : null}
      </dl>
      <Supersession memory={memory} />
    </>
  )
}

function Time({ at }: { at: string }) {
  const format = useFormat()
  return (
    <time dateTime={at} title={format.absolute(at)}>
      {format.ago(at)}
    </time>
  )
}

/** What was true when: a line of memories, the newest on top. Nothing when there is but one. */
function Supersession({ memory }: { memory: Memory }) {
  const words = useWords(memoryWords)
  const format = useFormat()
  const { data } = useQuery(memoryHistoryQuery(memory))
  if (!data || data.newer.length + data.older.length === 0) return null
  const line = [...data.newer, memory, ...data.older]
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-12 font-medium text-muted">{words.history}</h3>
      <ol aria-label={words.history} className="relative">
        {line.map((one, index) => (
          <li key={one.id} className="relative pb-3 pl-5 text-13 last:pb-0">
            {index < line.length - 1 ? (
              <span aria-hidden="true" className="absolute top-3 bottom-0 left-[3px] w-px translate-y-1 bg-line" />
            ) : null}
            <span
              aria-hidden="true"
              className={`absolute top-1.5 left-0 size-2 rounded-full ${one.id === memory.id ? 'bg-accent' : 'bg-control'}`}
            />
            {one.id === memory.id ? (
              <span className="font-medium break-words">{one.content}</span>
            ) : (
              <Link
                href={routes.oneMemory(one.id)}
                className={`break-words ${one.superseded_by === null ? '' : 'text-muted line-through'}`}
              >
                {one.content}
              </Link>
            )}
            <span className="block text-12 text-muted">
              {one.id === memory.id ? `${words.thisOne} · ` : ''}
              {format.day(one.created_at)}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}
