import type { Memory } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { Ban, Check, Ellipsis, Trash } from '../../ui/icons.tsx'
import { Link, useSearch } from 'wouter'
import { MAX_BATCH, memoryQuery } from '../../data/memories.ts'
import { sessionsQuery } from '../../data/sessions.ts'
import { routes } from '../../routes.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Menu } from '../../ui/menu.tsx'
import { useMemoryDeeds } from './use-memory-deeds.ts'
import { memoryWords, stateOf } from './words.ts'

export type TableProps = {
  memories: readonly Memory[]
  current: string | undefined
  isCut: boolean
  selected: ReadonlySet<number>
  onSelect: (ids: ReadonlySet<number>) => void
}

/** One a row, and boxes to choose several. */
export function MemoryTable({ memories, current, isCut, selected, onSelect }: TableProps) {
  const words = useWords(memoryWords)
  const shown = memories.slice(0, MAX_BATCH).map(({ id }) => id)
  const areAll = shown.every((id) => selected.has(id))
  return (
    <table aria-label={words.list} className="w-full table-fixed text-left text-13">
      <thead>
        <tr className="border-b border-line text-12 text-muted [&>th]:py-2 [&>th]:pr-4 [&>th]:font-medium">
          <th className="w-12 pl-5">
            <input
              type="checkbox"
              className="size-4 align-middle accent-accent"
              aria-label={words.selectAll}
              title={words.selectAll}
              checked={areAll}
              disabled={isCut}
              onChange={() => onSelect(new Set(areAll ? [] : shown))}
            />
          </th>
          <th>{words.text}</th>
          <th className="w-24">{words.kind}</th>
          <th className="w-30">{words.topic}</th>
          <th className="w-18 text-right">{words.used}</th>
          <th className="w-24">{words.lastUsed}</th>
          <th className="w-40 max-lg:hidden">{words.from}</th>
          <th className="w-24">{words.state}</th>
        </tr>
      </thead>
      <tbody>
        {memories.map((memory) => (
          <Row
            key={memory.id}
            memory={memory}
            isCurrent={String(memory.id) === current}
            isSelected={selected.has(memory.id)}
            isCut={isCut}
            onToggle={() => onSelect(toggled(selected, memory.id))}
          />
        ))}
      </tbody>
    </table>
  )
}

type RowProps = { memory: Memory; isCurrent: boolean; isSelected: boolean; isCut: boolean; onToggle: () => void }

function Row({ memory, isCurrent, isSelected, isCut, onToggle }: RowProps) {
  const words = useWords(memoryWords)
  const format = useFormat()
  const { content, type, topic, hit_count, last_hit_at, source_session } = memory
  const state = stateOf(memory)
  return (
    <tr
      data-state={state}
      aria-current={isCurrent ? 'true' : undefined}
      className="h-[34px] border-b border-line align-top hover:bg-hover aria-[current]:bg-selected [&>td]:py-2 [&>td]:pr-4"
    >
      <td className="pl-5">
        <input
          type="checkbox"
          className="size-4 align-middle accent-accent"
          aria-label={words.select(content)}
          checked={isSelected}
          disabled={isCut}
          onChange={onToggle}
        />
      </td>
      <td>
        <Content memory={memory} />
      </td>
      <td className="text-muted">{words.kinds[type]}</td>
      <td className="truncate text-muted">{topic}</td>
      <td className="text-right text-muted">{words.times(format.number(hit_count))}</td>
      <td className="whitespace-nowrap text-muted">
        {last_hit_at ? (
          <time dateTime={last_hit_at} title={format.absolute(last_hit_at)}>
            {format.inList(last_hit_at)}
          </time>
        ) : (
          words.never
        )}
      </td>
      <td className="truncate max-lg:hidden">
        {source_session ? <SessionLink id={source_session} /> : <span className="text-muted">{words.byHand}</span>}
      </td>
      <td className={state === 'active' ? '' : 'text-muted'}>{words.states[state]}</td>
    </tr>
  )
}

/** On phones: the text, below it what it is, and a menu. */
export function MemoryRows({ memories, isCut }: Pick<TableProps, 'memories' | 'isCut'>) {
  const words = useWords(memoryWords)
  const format = useFormat()
  const deeds = useMemoryDeeds()
  return (
    <ul aria-label={words.list}>
      {memories.map((memory) => (
        <li
          key={memory.id}
          data-state={stateOf(memory)}
          className="flex items-start gap-1 border-b border-line py-2 pr-1 pl-4 text-13"
        >
          <div className="min-w-0 grow py-1">
            <Content memory={memory} />
            <p className="text-12 text-muted">
              {[
                words.kinds[memory.type],
                ...(memory.topic ? [memory.topic] : []),
                words.times(format.number(memory.hit_count)),
                words.states[stateOf(memory)],
              ].join(' · ')}
            </p>
          </div>
          {isCut ? null : (
            <Menu
              label={words.more(memory.content)}
              items={[
                {
                  label: memory.disabled ? words.enable : words.disable,
                  icon: memory.disabled ? <Check size={16} /> : <Ban size={16} />,
                  onSelect: () => deeds.switch([memory], !memory.disabled),
                },
                {
                  label: words.delete,
                  icon: <Trash size={16} />,
                  isDangerous: true,
                  onSelect: () => deeds.remove([memory]),
                },
              ]}
            >
              <Ellipsis size={16} />
            </Menu>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The text leads to the memory; what was replaced says by what. */
function Content({ memory: { id, content, superseded_by, disabled } }: { memory: Memory }) {
  const search = useSearch()
  const isUsed = superseded_by === null && !disabled
  return (
    <>
      <Link
        href={`${routes.oneMemory(id)}${search && `?${search}`}`}
        data-row={id}
        className={`line-clamp-2 break-words ${isUsed ? '' : 'text-muted'} ${superseded_by === null ? '' : 'line-through'}`}
      >
        {content}
      </Link>
      {superseded_by === null ? null : <ReplacedBy id={superseded_by} />}
    </>
  )
}

function ReplacedBy({ id }: { id: number }) {
  const words = useWords(memoryWords)
  const { data } = useQuery(memoryQuery(id))
  return <p className="truncate text-12 text-muted">{data ? words.replacedBy(data.content) : '\u00a0'}</p>
}

/** By its title where that is known. */
export function SessionLink({ id }: { id: string }) {
  const words = useWords(memoryWords)
  const { data } = useQuery({ ...sessionsQuery(), enabled: false })
  const session = data?.items.find((one) => one.id === id)
  return (
    <Link href={routes.session(id)} className="text-accent">
      {session?.intent || words.session}
    </Link>
  )
}

export function toggled(selected: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const next = new Set(selected)
  if (!next.delete(id)) next.add(id)
  return next
}
