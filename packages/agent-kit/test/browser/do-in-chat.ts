/** What a person does in the chat of the test program. */
import type { Frame, Page } from 'playwright-core'

type Place = Page | Frame

export const box = (page: Place) => page.locator('.ck-composer-text')

/** No run is under way: the button sends again. */
export const idle = (page: Place) => page.getByRole('button', { name: /^(?:Send|发送)$/ }).waitFor()

export async function say(page: Place, text: string): Promise<void> {
  await box(page).fill(text)
  await box(page).press('Enter')
}

/** The assistant's text, once it holds these words. */
export const answered = (page: Place, words: string | RegExp) =>
  page.locator('.ck-md', { hasText: words }).last().waitFor()

export async function choose(page: Place, model: 'Demo' | 'Scripted'): Promise<void> {
  await page.getByLabel('Model').selectOption({ label: model })
}

/** The session that the program shows. */
export const sessionOf = async (page: Place): Promise<string> => {
  const shown = page.locator('header b[data-session^=sess]')
  return (await shown.getAttribute('data-session')) ?? ''
}
