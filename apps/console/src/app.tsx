import { QueryClientProvider } from '@tanstack/react-query'
import type { Identity } from '@parley/protocol/rest'
import { createRoot } from 'react-dom/client'
import { StrictMode } from 'react'
import { queryClient } from './data/query-client.ts'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'
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
  me.then(
    () => show(<Shell />),
    (error: unknown) => show(<SignIn error={error} />),
  )
}
