import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'
import { patchSession } from './sessions.ts'

/** The links that work. */
export const sharesQuery = (id: string) =>
  queryOptions({ queryKey: ['shares', id], queryFn: () => client.sessions.listShares(id) })

/** The only time that the link is told. */
export async function makeLink(id: string, ttl_seconds: number | null): Promise<string> {
  const { url } = await client.sessions.share(id, { ttl_seconds })
  patchSession(id, { shared: true })
  await queryClient.invalidateQueries({ queryKey: ['shares', id] })
  return url
}

export async function revokeLink(id: string, share: string): Promise<void> {
  await client.sessions.unshare(id, share)
  await queryClient.invalidateQueries({ queryKey: ['shares', id] })
}

type ExportOptions = { format: 'zip' | 'markdown'; onBytes: (bytes: number) => void; signal: AbortSignal }

/** The whole session as one file, which the browser then keeps. */
export async function exportSession(id: string, { format, onBytes, signal }: ExportOptions): Promise<Blob> {
  const response = await client.sessions.export(id, { format, signal })
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    onBytes((bytes += part.length))
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? 'application/octet-stream' })
}
