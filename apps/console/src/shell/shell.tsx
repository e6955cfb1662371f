import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { client } from '../data/client.ts'
import { useAccountChanges } from '../data/live/account-changes.ts'
import { useAttention } from '../data/live/attention.ts'
import { readPreferences } from '../data/preferences.ts'
import { useSessionUpdates } from '../data/live/session-updates.ts'
import { ChatPage } from '../pages/chat/page.tsx'
import { showFirstSteps } from '../pages/chat/first-steps.ts'
import { LAZY_PAGES } from '../pages/pages.ts'
import { routes } from '../routes.ts'
import { keepLanguage, useLanguage, useWords } from '../texts/language.ts'
import { chooseTheme, useTheme } from '../theme/theme-choice.ts'
import { Empty, Skeleton } from '../ui/states.tsx'
import { ConnectionBanner } from './banner.tsx'
import type { Command } from './commands.ts'
import { Frame } from './frame.tsx'
import { Rail } from './rail.tsx'
import { Toasts } from './toasts.tsx'
import { useRail } from './use-rail.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { shellWords } from './words.ts'

/** Initials of the pinyin of the pages, for who types them. */
const PINYIN: Record<string, string> = {
  sessions: 'hh',
  approvals: 'sp',
  schedules: 'ds',
  memory: 'jy',
  knowledge: 'zsk',
  tools: 'gj',
  usage: 'yl',
  embed: 'qr',
  settings: 'sz',
}

/** Nobody needs them to begin; they come while nothing else does. */
const loadOverlays = () => import('./overlays.ts')
const Palette = lazy(async () => ({ default: (await loadOverlays()).Palette }))
const ShortcutSheet = lazy(async () => ({ default: (await loadOverlays()).ShortcutSheet }))

export function Shell() {
  const [path, go] = useLocation()
  const [overlay, setOverlay] = useState<'palette' | 'keys' | null>(null)
  const badges = useAttention(useCallback(() => go(routes.approvals), [go]))
  useAccountChanges()
  useEffect(() => void readPreferences().catch(() => undefined), [])
  useSessionUpdates()
  const rail = useRail()
  const commands = useCommands(go, setOverlay)
  useEffect(() => {
    const timer = setTimeout(() => void loadOverlays(), 2_000)
    return () => clearTimeout(timer)
  }, [])
  useShortcuts({
    '$mod+k': () => setOverlay('palette'),
    '[Shift]+?': () => setOverlay('keys'),
    'Alt+n': () => go(routes.home),
    BracketLeft: toggleList,
    F6: () => moveArea(1),
    'Shift+F6': () => moveArea(-1),
    ...Object.fromEntries(rail.map(({ key, href }) => [`g ${key}`, () => go(href)])),
  })
  return (
    <div className="relative flex h-full max-md:flex-col">
      <Rail badges={badges} onPalette={() => setOverlay('palette')} />
      <div className="flex min-h-0 min-w-0 grow max-md:order-1">
        <Suspense fallback={<Frame>{<Skeleton />}</Frame>}>
          <Switch>
            <Route path="/" component={ChatPage} />
            <Route path="/sessions" component={ChatPage} />
            <Route path="/s/:id" component={ChatPage} />
            {LAZY_PAGES.map(({ path: own, Page }) => (
              <Route key={own} path={own} component={Page} />
            ))}
            <Route>
              <UnknownPage path={path} onSearch={() => setOverlay('palette')} />
            </Route>
          </Switch>
        </Suspense>
      </div>
      <ConnectionBanner />
      <Toasts />
      <Suspense>
        {overlay === 'palette' ? <Palette commands={commands} go={go} onClose={() => setOverlay(null)} /> : null}
        {overlay === 'keys' ? <ShortcutSheet commands={commands} onClose={() => setOverlay(null)} /> : null}
      </Suspense>
    </div>
  )
}

function UnknownPage({ path, onSearch }: { path: string; onSearch: () => void }) {
  const words = useWords(shellWords)
  return (
    <Frame>
      <Empty
        title={words.unknownTitle}
        action={
          <button type="button" className="text-13 font-medium text-accent" onClick={onSearch}>
            {words.openPalette}
          </button>
        }
      >
        {words.unknownText(path)}
      </Empty>
    </Frame>
  )
}

function useCommands(go: (href: string) => void, show: (overlay: 'keys') => void): readonly Command[] {
  const words = useWords(shellWords)
  const language = useLanguage()
  const rail = useRail()
  const theme = useTheme()
  const queries = useQueryClient()
  const signOut = useCallback(async () => {
    const { logout_url } = await client.api.post<{ logout_url: string | null }>('/api/auth/logout')
    queries.clear()
    location.assign(logout_url ?? '/')
  }, [queries])
  return useMemo(
    () => [
      { id: 'new', label: words.newSession, shortcut: 'Alt N', keywords: 'new xhh', run: () => go(routes.home) },
      ...rail.map(({ name, href, key }) => ({
        id: name,
        label: words.goTo(words[name]),
        shortcut: `g ${key}`,
        keywords: `${name} ${PINYIN[name]}`,
        run: () => go(href),
      })),
      { id: 'docs', label: words.docs, keywords: 'docs help wd', run: () => location.assign(routes.docs) },
      { id: 'list', label: words.toggleList, shortcut: '[', run: toggleList },
      {
        id: 'theme',
        label: words.theme,
        keywords: 'dark light theme qs',
        run: () => chooseTheme(theme === 'dark' ? 'light' : 'dark'),
      },
      {
        id: 'language',
        label: words.language,
        keywords: 'language 中文 english yy',
        run() {
          keepLanguage(language === 'zh' ? 'en' : 'zh')
          location.reload()
        },
      },
      {
        id: 'first',
        label: words.firstSteps,
        keywords: 'first start dyb',
        run() {
          showFirstSteps()
          go(routes.home)
        },
      },
      { id: 'keys', label: words.shortcuts, shortcut: '?', keywords: 'keys kjj', run: () => show('keys') },
      { id: 'out', label: words.signOut, keywords: 'logout tc', run: () => void signOut() },
    ],
    [words, rail, language, theme, go, show, signOut],
  )
}

/** The column can be hidden, and stays so. */
function toggleList(): void {
  const root = document.documentElement
  root.toggleAttribute('data-list-hidden')
  localStorage.setItem('parley.list', root.hasAttribute('data-list-hidden') ? 'hidden' : 'shown')
}

function moveArea(step: 1 | -1): void {
  const areas = [...document.querySelectorAll<HTMLElement>('[data-area]')].filter(({ offsetParent }) => offsetParent)
  const here = areas.findIndex((area) => area.contains(document.activeElement))
  const next = areas[(here + step + areas.length) % areas.length]
  next?.querySelector<HTMLElement>('[aria-current], textarea, a[href], button, [tabindex="0"]')?.focus()
}
