import {
  Bars,
  BookOpen,
  Bookmark,
  CalendarClock,
  Code,
  type Icon,
  MessageSquare,
  Sliders,
  ShieldCheck,
  Wrench,
} from '../ui/icons.tsx'
import { routes } from '../routes.ts'

export type RailName =
  | 'sessions'
  | 'approvals'
  | 'schedules'
  | 'memory'
  | 'knowledge'
  | 'tools'
  | 'usage'
  | 'embed'
  | 'settings'

export type RailItem = {
  name: RailName
  href: string
  icon: Icon
  /** `g` and then this goes there. */
  key: string
  place: 'top' | 'bottom'
  /** What the server must be able to do; shown everywhere without one. */
  needs?: string
}

/** What the rail shows: the pages there are, each where the reader expects it. */
export const RAIL: readonly RailItem[] = [
  { name: 'sessions', href: routes.home, icon: MessageSquare, key: 's', place: 'top' },
  { name: 'approvals', href: routes.approvals, icon: ShieldCheck, key: 'a', place: 'top' },
  { name: 'schedules', href: routes.schedules, icon: CalendarClock, key: 'd', place: 'top' },
  { name: 'memory', href: routes.memory, icon: Bookmark, key: 'm', place: 'top' },
  { name: 'knowledge', href: routes.knowledge, icon: BookOpen, key: 'k', place: 'top' },
  { name: 'tools', href: routes.tools, icon: Wrench, key: 't', place: 'top' },
  { name: 'usage', href: routes.usage, icon: Bars, key: 'u', place: 'top', needs: 'usage' },
  { name: 'embed', href: routes.embed, icon: Code, key: 'e', place: 'bottom' },
  { name: 'settings', href: routes.settings('appearance'), icon: Sliders, key: ',', place: 'bottom' },
]

/** Sessions are at `/`; every other page is known by its first word. */
export function isHere({ name }: RailItem, path: string): boolean {
  const first = path.split('/')[1] ?? ''
  return name === 'sessions' ? ['', 's', 'sessions'].includes(first) : first === name
}
