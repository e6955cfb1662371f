/** A short-lived token for this visitor, from the page's own back end; the chat asks again before it ends. */
export async function getToken(): Promise<string> {
  const response = await fetch('/token', { method: 'POST' })
  if (!response.ok) throw new Error(`The token could not be fetched: HTTP ${response.status}.`)
  return response.text()
}
