import { ParleyApiError } from './parley-api-error.ts'
import type { ClientOptions } from '../resolve-options.ts'

export type Query = Record<string, string | number | boolean | null | undefined>
export type RequestOptions = { query?: Query; signal?: AbortSignal }

/** Authorised REST. Paths start with `/`; answers are parsed JSON, `null` for an empty one; 4xx and 5xx throw. */
export type Rest = {
  get<Answer = unknown>(path: string, options?: RequestOptions): Promise<Answer>
  post<Answer = unknown>(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  put<Answer = unknown>(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  patch<Answer = unknown>(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  del<Answer = unknown>(path: string, options?: RequestOptions): Promise<Answer>
  /** The answer as it came, whatever its status. */
  raw(path: string, init?: RequestInit): Promise<Response>
}

export function createRest(options: ClientOptions): Rest & { refresh(): Promise<boolean> } {
  const { origin, tokens, readLanguage, isBrowser } = options
  let refreshing: Promise<boolean> | null = null

  const send = (path: string, init: RequestInit, token: string | null) => {
    const headers = new Headers(init.headers)
    if (token) headers.set('authorization', `Bearer ${token}`)
    const language = readLanguage()
    if (language && !headers.has('accept-language')) headers.set('accept-language', language)
    return fetch(`${origin}${path}`, { ...init, headers, credentials: token ? 'omit' : 'include' })
  }

  /** Renews the login cookie. Calls that fail together share one renewal. */
  const refresh = () => {
    refreshing ??= fetch(`${origin}/api/auth/refresh`, { method: 'POST', credentials: 'include' })
      .then(
        ({ ok }) => ok,
        () => false,
      )
      .finally(() => {
        refreshing = null
      })
    return refreshing
  }

  const raw = async (path: string, init: RequestInit = {}) => {
    const token = await tokens.read()
    const response = await send(path, init, token)
    if (response.status !== 401) return response
    if (token === null) return isBrowser && (await refresh()) ? send(path, init, null) : response
    const other = await another(token)
    return other ? send(path, init, other) : response
  }

  /** What cannot be had now is told by the answer that was refused. */
  const another = async (insteadOf: string) => {
    try {
      return await tokens.renew({ insteadOf, because: 'refused' })
    } catch {
      return null
    }
  }

  const call = async <Answer>(
    method: string,
    path: string,
    { body, query, signal }: RequestOptions & { body?: unknown },
  ) => {
    // Forms and files say themselves what they are.
    const isReady = body instanceof FormData || body instanceof Blob
    const response = await raw(`${path}${queryString(query)}`, {
      method,
      ...(body !== undefined && { body: isReady ? body : JSON.stringify(body) }),
      ...(body !== undefined && !isReady && { headers: { 'content-type': 'application/json' } }),
      ...(signal && { signal }),
    })
    const answer = parse(await response.text())
    if (!response.ok) throw new ParleyApiError(response.status, answer ?? {})
    return answer as Answer
  }

  return {
    get: (path, options = {}) => call('GET', path, options),
    post: (path, body, options = {}) => call('POST', path, { ...options, body }),
    put: (path, body, options = {}) => call('PUT', path, { ...options, body }),
    patch: (path, body, options = {}) => call('PATCH', path, { ...options, body }),
    del: (path, options = {}) => call('DELETE', path, options),
    raw,
    refresh,
  }
}

function queryString(query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]))).toString()
  return text && `?${text}`
}

/** A proxy's error page is not JSON; it still has to become an error with a readable text. */
function parse(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return { detail: text.slice(0, 500) }
  }
}
