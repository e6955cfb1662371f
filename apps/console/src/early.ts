/** Evaluated before React is: the answers are on their way while it starts. */
import { meQuery, versionQuery } from './data/account.ts'
import { queryClient } from './data/query-client.ts'
import { sessionsQuery } from './data/sessions.ts'
import { preferredLanguage, speak } from './texts/language.ts'
import { applyTheme } from './theme/theme-choice.ts'

applyTheme()
speak(preferredLanguage())
if (localStorage.getItem('parley.list') === 'hidden') document.documentElement.setAttribute('data-list-hidden', '')

export const me = queryClient.fetchQuery(meQuery)
void queryClient.prefetchQuery(versionQuery)
void queryClient.prefetchQuery(sessionsQuery())
