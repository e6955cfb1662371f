import { QueryClientProvider } from '@tanstack/react-query'
import type { Identity } from '@parley/protocol/rest'
import { createRoot } from 'react-dom/client'
import { StrictMode } from 'react'
import { queryClient } from './data/query-client.ts'
import { Shell } from './shell/shell.tsx'
import { LanguageContext, preferredLanguage } from './texts/language.ts'

/** The console for whoever is signed in; for everybody else, how to sign in. */
export function draw(element: HTMLElement, me: Promise<Identity>): void {
  const root = createRoot(element)
  const show = (page: React.ReactNode) =>
    root.render(
      <StrictMode>
        <LanguageContext value={preferredLanguage()}>
          <QueryClientProvider client={queryClient}>{page}</QueryClientProvider>
        </LanguageContext>
      </StrictMode>,
    )
  void me.then(
    () => show(<Shell />),
    async (error: unknown) => {
      const { SignIn } = await import('./shell/sign-in.tsx')
      show(<SignIn error={error} />)
    },
  )
}
