import type { IncomingMessage } from 'node:http'

/** What there is of a body, and no more of it than that. A connection that breaks here ends it, too. */
export async function readProviderBody(response: IncomingMessage, maxCharacters: number): Promise<string> {
  let text = ''
  response.setEncoding('utf8')
  try {
    for await (const piece of response) {
      text += piece
      if (text.length > maxCharacters) break
    }
  } catch {
    // The status says enough.
  }
  return text.slice(0, maxCharacters)
}
