/** People paste an address with a slash too many, with the whole path, or with none at all. */
export function apiUrl(url: string): URL {
  const result = new URL(url)
  if (result.protocol !== 'http:' && result.protocol !== 'https:') throw new Error(`${url} is no http address.`)
  const path = result.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
  result.pathname = path || '/v1'
  return result
}
