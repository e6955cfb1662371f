import type { InstanceList } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { meQuery, versionQuery } from '../../data/account.ts'
import { healthQuery, instancesQuery } from '../../data/server.ts'
import { useFormat } from '../../texts/format.ts'
import { useLanguage, useWords } from '../../texts/language.ts'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { settingsWords } from './words.ts'

/** What runs here. Members are told what it is; its owners also how it is. */
export function Server() {
  const words = useWords(settingsWords)
  const language = useLanguage()
  const format = useFormat()
  const { data: version, error, isPending, refetch } = useQuery(versionQuery)
  const { data: me } = useQuery(meQuery)
  const isOwner = me?.role === 'owner'
  const { data: health } = useQuery(healthQuery)
  const { data: instances } = useQuery({ ...instancesQuery, enabled: isOwner })
  if (isPending) return <Skeleton />
  if (!version) return <Failure error={error} retry={() => void refetch()} />
  const here = instances?.items.find(({ is_this }) => is_this)
  const { facts } = words
  const rows: [string, ReactNode][] = [
    ...(health ? [[facts.status, words.statuses[health.status] ?? health.status] as [string, ReactNode]] : []),
    [facts.version, version.version],
    [facts.address, location.origin],
    ...(here
      ? [
          [
            facts.started,
            <time key="started" dateTime={here.started_at} title={format.absolute(here.started_at)}>
              {format.ago(here.started_at)}
            </time>,
          ] as [string, ReactNode],
        ]
      : []),
    ...(instances
      ? ([
          [facts.database, words.databases[instances.database]],
          [facts.lease, format.duration(instances.lease_ms)],
        ] as [string, ReactNode][])
      : []),
    ...(health?.details
      ? [[facts.sandbox, sandboxOf(health.details.sandbox.level, words.noSandbox)] as [string, ReactNode]]
      : []),
    [
      facts.can,
      new Intl.ListFormat(language, { type: 'unit' }).format(
        version.capabilities.flatMap((name) => words.abilities[name] ?? []),
      ),
    ],
  ]
  return (
    <>
      <dl className="grid grid-cols-[minmax(96px,auto)_1fr] gap-x-4 gap-y-2 text-13">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {instances ? <Instances list={instances} /> : null}
    </>
  )
}

function Instances({ list: { items } }: { list: InstanceList }) {
  const words = useWords(settingsWords)
  const format = useFormat()
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-14 font-semibold">{words.instances}</h3>
      <table className="w-full text-left text-13">
        <thead className="max-md:sr-only">
          <tr className="border-b border-line text-12 text-muted">
            {[words.instance, words.state, words.leaseUntil].map((head) => (
              <th key={head} scope="col" className="py-2 pr-4 font-medium">
                {head}
              </th>
            ))}
            <th scope="col" className="py-2 text-right font-medium">
              {words.runs}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ id, host, pid, is_this, state, lease_until, runs }) => (
            <tr key={id} className="border-b border-line max-md:flex max-md:flex-wrap max-md:gap-x-3 max-md:py-2">
              <th scope="row" className="py-2 pr-4 font-medium break-all max-md:w-full max-md:py-0" title={id}>
                {host}:{pid} {is_this ? <span className="text-12 font-normal text-muted">{words.thisOne}</span> : null}
              </th>
              <td className={`py-2 pr-4 max-md:py-0 ${state === 'silent' ? 'text-danger' : ''}`}>
                {words.states[state]}
              </td>
              <td className="py-2 pr-4 text-muted max-md:py-0" title={format.absolute(lease_until)}>
                {format.clockWithSeconds(lease_until)}
              </td>
              <td className="py-2 text-right tabular-nums max-md:py-0">
                {format.number(runs)} <span className="text-muted md:hidden">{words.runs}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function sandboxOf(level: string, none: string): string {
  return level === 'none' ? none : level
}
