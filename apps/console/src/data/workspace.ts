import { type DirectoryEntry, ParleyApiError, type UploadResult } from '@parley/client'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'
import { send, type SendOptions } from './send.ts'

/** How much of a text is read to be shown. */
const SHOWN_BYTES = 256 * 1024

export type FileContent =
  | { kind: 'text'; text: string; isCut: boolean; size: number }
  | { kind: 'image' }
  | { kind: 'other'; size: number }

const at = (id: string, route: string, path: string) =>
  `/api/sessions/${encodeURIComponent(id)}/${route}/${path.split('/').filter(Boolean).map(encodeURIComponent).join('/')}`

/** The folder itself is the empty path. */
export const directoryQuery = (id: string, path: string) =>
  queryOptions({
    queryKey: ['files', id, 'folder', path],
    queryFn: (): Promise<DirectoryEntry[]> => client.sessions.listDir(id, path),
  })

export const fileQuery = (id: string, path: string) =>
  queryOptions({
    queryKey: ['files', id, 'file', path],
    queryFn: ({ signal }) => readContent(at(id, 'files', path), signal),
  })

export const fileAddress = (id: string, path: string): string => client.buildAuthedUrl(at(id, 'files', path))
export const downloadAddress = (id: string, path: string): string => `${fileAddress(id, path)}?download=1`
export const allFilesAddress = (id: string): string => client.buildAuthedUrl(at(id, 'download-dir', ''))

export const rereadFiles = (id: string): Promise<void> => queryClient.invalidateQueries({ queryKey: ['files', id] })

/** Into the workspace's own folder; one that is refused does not stop the others. */
export async function uploadFiles(id: string, files: readonly File[], options: SendOptions): Promise<UploadResult> {
  const form = new FormData()
  for (const file of files) form.append('files', file, file.name)
  form.append('paths', JSON.stringify(files.map(({ name }) => name)))
  try {
    return await send<UploadResult>('POST', at(id, 'upload', ''), form, options)
  } finally {
    await rereadFiles(id)
  }
}

/** What is no picture is text, unless its bytes say otherwise. */
async function readContent(address: string, signal: AbortSignal): Promise<FileContent> {
  const response = await client.api.raw(address, { headers: { range: `bytes=0-${SHOWN_BYTES - 1}` }, signal })
  if (!response.ok) throw new ParleyApiError(response.status, (await response.json()) as { detail: string })
  if (response.headers.get('content-type')?.startsWith('image/')) {
    await response.body?.cancel()
    return { kind: 'image' }
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  const size = Number(response.headers.get('content-range')?.split('/')[1] ?? bytes.length)
  if (bytes.includes(0)) return { kind: 'other', size }
  return { kind: 'text', text: new TextDecoder().decode(bytes), isCut: size > bytes.length, size }
}
