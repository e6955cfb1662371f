/** Asks for what every page needs before the interface is even loaded, then draws. */
import { meQuery, versionQuery } from './data/account.ts'
import { queryClient } from './data/query-client.ts'
import { sessionsQuery } from './data/sessions.ts'
import { preferredLanguage, speak } from './texts/language.ts'
import { applyTheme } from './theme/theme-choice.ts'
import '@parley/chatkit/chatkit.css'
import './theme/index.css'

applyTheme()
speak(preferredLanguage())
if (localStorage.getItem('parley.list') === 'hidden') document.documentElement.setAttribute('data-list-hidden', '')

const me = queryClient.fetchQuery(meQuery)
void queryClient.prefetchQuery(versionQuery)
void queryClient.prefetchInfiniteQuery(sessionsQuery())
const { draw } = await import('./app.tsx')
draw(document.getElementById('console') ?? document.body, me)
