import { type ComponentType, lazy } from 'react'

type PageModule = { Page: ComponentType }
type PageEntry = { paths: readonly string[]; load: () => Promise<PageModule> }

/**
 * Every page but the chat, which is there at once. Each is a chunk of its own, loaded when its link is pointed at. One path for
 * list and detail: the list stays as it was when something is chosen from it.
 */
const PAGES: readonly PageEntry[] = [
  { paths: ['/s/:id/runs/:run?'], load: () => import('./runs/page.tsx') },
  { paths: ['/approvals/:id?'], load: () => import('./approvals/page.tsx') },
  { paths: ['/schedules/:id?'], load: () => import('./schedules/page.tsx') },
  { paths: ['/memory/:id?'], load: () => import('./memory/page.tsx') },
  { paths: ['/knowledge/:collection?'], load: () => import('./knowledge/page.tsx') },
  { paths: ['/tools'], load: () => import('./tools/page.tsx') },
  { paths: ['/tools/servers/:name'], load: () => import('./tools/server-page.tsx') },
  { paths: ['/tools/:name'], load: () => import('./tools/tool-page.tsx') },
  { paths: ['/usage'], load: () => import('./usage/page.tsx') },
  { paths: ['/embed'], load: () => import('./embed/page.tsx') },
  { paths: ['/settings/:section'], load: () => import('./settings/page.tsx') },
]

export const LAZY_PAGES = PAGES.flatMap(({ paths, load }) => {
  const Page = lazy(async () => ({ default: (await load()).Page }))
  return paths.map((path) => ({ path, Page }))
})

export function prefetchPage(href: string): void {
  const path = href.split('?')[0] ?? href
  const isAt = (own: string) => `${path}/`.startsWith(`${own.split('/:')[0]}/`)
  void PAGES.find(({ paths }) => paths.some(isAt))?.load()
}
