/** A path on this server; anything that could lead elsewhere becomes the start page. */
export function ownPath(next: string): string {
  const here = 'http://here.invalid'
  const url = next.startsWith('/') ? URL.parse(next, here) : null
  return url?.origin === here ? `${url.pathname}${url.search}${url.hash}` : '/'
}
