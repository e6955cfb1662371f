import {
  BarChart3,
  BookOpen,
  Bookmark,
  CalendarClock,
  Code2,
  type LucideIcon,
  MessageSquare,
  Settings2,
  ShieldCheck,
  Wrench,
} from 'lucide-react'
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
  icon: LucideIcon
  /** `g` and then this goes there. */
  key: string
  /** Addresses below it. */
  covers: RegExp
  place: 'top' | 'bottom'
}

/** What the rail shows: the pages there are, each where the reader expects it. */
export const RAIL: readonly RailItem[] = [
  { name: 'sessions', href: routes.home, icon: MessageSquare, key: 's', covers: /^\/($|s\/|sessions)/, place: 'top' },
  {
    ...{ name: 'schedules', href: routes.schedules, icon: CalendarClock, key: 'd', place: 'top' },
    covers: /^\/schedules/,
  },
  { name: 'memory', href: routes.memory, icon: Bookmark, key: 'm', covers: /^\/memory/, place: 'top' },
  { name: 'embed', href: routes.embed, icon: Code2, key: 'e', covers: /^\/embed/, place: 'bottom' },
]

/** Pictures of the pages to come; each moves up there with its page. */
export const RAIL_ICONS = { BarChart3, BookOpen, Settings2, ShieldCheck, Wrench }
