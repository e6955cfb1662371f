import type { BrowserContext, Page } from 'playwright-core'

/** Nothing leaves the machine: requests to origins that are not listed fail, and their addresses are returned as they come. */
export async function keepInside(context: BrowserContext, origins: readonly string[]): Promise<string[]> {
  const foreign: string[] = []
  await context.route(
    ({ origin, protocol }) => !origins.includes(origin) && protocol.startsWith('http'),
    (route) => {
      foreign.push(route.request().url())
      return route.abort()
    },
  )
  return foreign
}

/** Errors that the page throws or writes to its console, as they come. */
export function problemsOf(page: Page): string[] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  return problems
}
