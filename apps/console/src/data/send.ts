import { ParleyApiError } from '@parley/client'
import { preferredLanguage } from '../texts/language.ts'

export type SendOptions = { onProgress: (share: number) => void; signal: AbortSignal }

/** A request whose body may take a while: `fetch` does not tell how much of one has left. */
// oxlint-disable-next-line max-params -- like the client's own: what to do, where, with what
export function send<Answer>(
  method: 'POST' | 'PUT',
  path: string,
  body: Blob | FormData,
  { onProgress, signal }: SendOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, path)
    request.responseType = 'json'
    request.setRequestHeader('accept-language', preferredLanguage())
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
    request.addEventListener('load', () => {
      if (request.status < 400) resolve(request.response as Answer)
      else reject(new ParleyApiError(request.status, (request.response as { detail: string } | null) ?? {}))
    })
    request.addEventListener('error', () => reject(new TypeError('The server did not answer.')))
    request.addEventListener('abort', () => reject(signal.reason as Error))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body)
  })
}
