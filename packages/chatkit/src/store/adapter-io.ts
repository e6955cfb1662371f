import type { AdapterIO } from '../model/chat-adapter.ts'
import { chatKitError, isChatKitError } from '../model/chat-kit-error.ts'
import { bearer, inspectResponse, type TokenGate } from './token-gate.ts'

/** For as long as `until`; by default, as the store. */
export type OpenIO = (until?: AbortSignal, alive?: () => void) => AdapterIO & { usedRefresh(): boolean }

export type AdapterIOOptions = { gate: TokenGate; fetch: typeof fetch; locale: string; signal: AbortSignal }

/** Makes the adapter's view of the world for one run or one call. */
export function createOpenIO({ gate, fetch, locale, signal: life }: AdapterIOOptions): OpenIO {
  return (signal = life, alive = () => {}) => {
    let attempts = 0
    const request: typeof globalThis.fetch = (input, init = {}) => {
      attempts = 0
      return gate.call((token) => {
        attempts += 1
        return send(fetch, input, { signal, ...init, headers: withToken(init.headers, token) })
      }, inspectResponse)
    }
    return {
      fetch: request,
      token: gate.token,
      async renewToken(stale) {
        await gate.refresh(stale)
        return gate.token()
      },
      authorised: (call) => gate.call(call),
      signal,
      locale,
      alive,
      wait: (ms) => wait(ms, signal),
      /** The last request already had its second chance. */
      usedRefresh: () => attempts > 1,
    }
  }
}

function withToken(headers: RequestInit['headers'], token: string): Headers {
  const all = new Headers(headers)
  if (token && !all.has('authorization')) all.set('authorization', bearer(token))
  return all
}

async function send(
  fetch: typeof globalThis.fetch,
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetch(input, init)
  } catch (error) {
    if (isChatKitError(error)) throw error
    if (init.signal?.aborted) throw chatKitError('aborted', 'The request was aborted.', { cause: error })
    throw chatKitError('network', 'The server could not be reached.', { cause: error })
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(chatKitError('aborted', 'The run was ended.'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
