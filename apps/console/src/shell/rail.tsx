import { useQuery } from '@tanstack/react-query'
import { Ellipsis } from '../ui/icons.tsx'
import { Link, useLocation } from 'wouter'
import { meQuery } from '../data/account.ts'
import { useWords } from '../texts/language.ts'
import { prefetchPage } from '../pages/pages.ts'
import { Mark } from './mark.tsx'
import { isHere, type RailItem } from './rail-items.ts'
import { useRail } from './use-rail.ts'
import { shellWords } from './words.ts'

/** How many things wait for the reader, beside the pages that show them. */
export type Badges = Partial<Record<RailItem['name'], number>>

type RailProps = { badges: Badges; onPalette: () => void }

/** Where one can go: pictures with words. Below 768 px it is a bar at the bottom. */
export function Rail({ badges, onPalette }: RailProps) {
  const words = useWords(shellWords)
  const { data: me } = useQuery(meQuery)
  const name = me?.display_name || me?.username || ''
  const rail = useRail()
  const at = (place: RailItem['place']) =>
    rail
      .filter((item) => item.place === place)
      .map((item) => <RailLink key={item.name} item={item} badge={badges[item.name] ?? 0} />)
  return (
    <nav
      data-area="rail"
      aria-label={words.pages}
      className="flex w-18 flex-none flex-col items-center gap-1 px-1 pt-4 pb-3 max-md:order-2 max-md:w-full max-md:flex-row max-md:justify-around max-md:border-t max-md:border-line max-md:py-1"
    >
      <Link href="/" aria-label="Parley" className="mb-2 max-md:hidden">
        <Mark />
      </Link>
      {at('top')}
      <button
        type="button"
        onClick={onPalette}
        className="flex flex-col items-center gap-1 rounded-control px-3 py-1 text-11 text-muted md:hidden"
      >
        <Ellipsis size={18} />
        {words.more}
      </button>
      <div className="grow max-md:hidden" />
      {at('bottom')}
      <button
        type="button"
        onClick={onPalette}
        title={words.signedInAs(name)}
        className="mt-2 flex size-8 items-center justify-center rounded-full bg-accent-soft text-12 font-semibold text-on-accent-soft max-md:hidden"
      >
        <span aria-hidden="true">{initials(name)}</span>
        <span className="sr-only">{words.signedInAs(name)}</span>
      </button>
    </nav>
  )
}

function RailLink({ item, badge }: { item: RailItem; badge: number }) {
  const { name, href, icon: Icon, place } = item
  const words = useWords(shellWords)
  const [path] = useLocation()
  const isRare = place === 'bottom' || ['memory', 'knowledge', 'tools', 'usage'].includes(name)
  return (
    <Link
      href={href}
      data-rail={name}
      aria-current={isHere(item, path) ? 'page' : undefined}
      onPointerEnter={() => prefetchPage(href)}
      onFocus={() => prefetchPage(href)}
      className={`relative flex w-16 flex-col items-center gap-1 rounded-card py-2 text-11 text-muted transition-colors duration-[120ms] hover:bg-hover hover:text-text aria-[current]:bg-selected aria-[current]:text-text max-md:bg-transparent max-md:aria-[current]:bg-transparent max-md:aria-[current]:text-accent ${isRare ? 'max-md:hidden' : ''}`}
    >
      <Icon size={18} aria-hidden="true" />
      {words[name]}
      {badge > 0 ? (
        <span className="absolute top-1 right-2 min-w-4 rounded-full bg-badge px-1 text-center text-11 font-semibold text-on-badge">
          <span aria-hidden="true">{badge > 99 ? '99+' : badge}</span>
          <span className="sr-only">{words.waiting(badge)}</span>
        </span>
      ) : null}
    </Link>
  )
}

/** Two letters, or the first Chinese character. */
function initials(name: string): string {
  if (/\p{Script=Han}/u.test(name)) return [...name][0] ?? ''
  const parts = name.split(/[\s._-]+/).filter(Boolean)
  return parts
    .slice(0, 2)
    .map((part) => part[0]?.toUpperCase() ?? '')
    .join('')
}
