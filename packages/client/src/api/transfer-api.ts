import type { CreatedShare, ImportedSession, ImportPreview, Share } from '@parley/protocol/rest'
import type { SessionDetail } from '@parley/protocol'
import { ParleyApiError } from '../rest/parley-api-error.ts'
import type { Rest } from '../rest/rest.ts'

/** Showing a session to others, taking it along, and what its tools are given. */
export type TransferApi = {
  /** A link that shows the session to whoever has it. It is told this once. */
  share(session_id: string, options?: { ttl_seconds?: number | null }): Promise<CreatedShare>
  /** The links that work, without their tokens. */
  listShares(session_id: string): Promise<Share[]>
  /** Ends one link, by its token or its id; without one, all of them for good. */
  unshare(session_id: string, token?: string): Promise<void>
  /** A ZIP that `import` takes, or Markdown to read. The answer's `body` is a stream. */
  export(session_id: string, options?: { format?: 'zip' | 'markdown'; signal?: AbortSignal }): Promise<Response>
  /** What `import` would make of an archive. */
  previewImport(archive: Blob): Promise<ImportPreview>
  /** A new session, of what another one was. */
  import(archive: Blob, options?: { name?: string }): Promise<ImportedSession>
  /** Replaces the variables of its tools, from the next run on. */
  setEnvironment(session_id: string, env: Record<string, string>): Promise<SessionDetail>
}

export function createTransferApi(rest: Rest): TransferApi {
  const path = (session_id: string, rest: string) => `/api/sessions/${encodeURIComponent(session_id)}${rest}`
  return {
    share: (id, { ttl_seconds = null } = {}) => rest.post(path(id, '/share'), { ttl_seconds }),
    listShares: (id) => rest.get(path(id, '/shares')),
    async unshare(id, token) {
      if (token === undefined) await rest.patch(path(id, '/sharing'), { shared: false })
      else await rest.del(path(id, `/share/${encodeURIComponent(token)}`))
    },
    async export(id, { format = 'zip', signal } = {}) {
      const response = await rest.raw(path(id, `/export?format=${format}`), { ...(signal && { signal }) })
      if (!response.ok) throw new ParleyApiError(response.status, (await response.json()) as { detail: string })
      return response
    },
    previewImport: (archive) => rest.post('/api/sessions/preview-import', formOf(archive)),
    import: (archive, { name = '' } = {}) => rest.post('/api/sessions/import', formOf(archive, name)),
    setEnvironment: (id, env) => rest.put(path(id, '/env'), { env }),
  }
}

function formOf(archive: Blob, name = ''): FormData {
  const form = new FormData()
  if (name !== '') form.append('name', name)
  form.append('file', archive, 'session.zip')
  return form
}
