import { ParleyApiError } from '../rest/parley-api-error.ts'
import type { Rest } from '../rest/rest.ts'

export type UploadFile = File | { file: Blob; name: string }
export type UploadResult = { uploaded: string[]; failed: { path: string; error: string }[] }
export type DirectoryEntry = {
  name: string
  /** Workspace-relative. */
  path: string
  type: 'file' | 'directory'
  is_dir: boolean
  size?: number
  modified_at?: string
}

/** Files of a session's workspace. Paths are workspace-relative; `.` is the workspace itself. */
export type FilesApi = {
  /** `onProgress` gets a percentage. */
  uploadFiles(
    session_id: string,
    dirPath: string,
    files: Iterable<UploadFile> | ArrayLike<UploadFile>,
    options?: { onProgress?: (percent: number) => void },
  ): Promise<UploadResult>
  listDir(session_id: string, path: string): Promise<DirectoryEntry[]>
  writeFile(session_id: string, path: string, content: string): Promise<{ success: boolean }>
  /** `newName` is a name, not a path. */
  renameFile(session_id: string, path: string, newName: string): Promise<{ path: string }>
  deleteFile(session_id: string, path: string): Promise<{ deleted: boolean }>
  /** Browsers only: saves the file where downloads go. */
  downloadFile(session_id: string, path: string): Promise<void>
}

export function createFilesApi(rest: Rest): FilesApi {
  const at = (session_id: string, route: string, path: string) =>
    `/api/sessions/${encodeURIComponent(session_id)}/${route}/${tailOf(path)}`

  return {
    // oxlint-disable-next-line max-params -- [14.1] existing programs call it like this.
    async uploadFiles(id, dirPath, files, { onProgress } = {}) {
      const form = new FormData()
      const named = Array.from(files).map((file) => ('file' in file ? file : { file, name: file.name }))
      for (const { file, name } of named) form.append('files', file, name)
      form.append('paths', JSON.stringify(named.map(({ name }) => name)))
      onProgress?.(0)
      const result = await rest.post<UploadResult>(at(id, 'upload', dirPath), form)
      onProgress?.(100)
      return result
    },
    listDir: (id, path) => rest.get(at(id, 'ls', path)),
    writeFile: (id, path, content) => rest.put(at(id, 'files', path), { content }),
    renameFile: (id, path, new_name) => rest.post(`${at(id, 'files', path)}/rename`, { new_name }),
    deleteFile: (id, path) => rest.del(at(id, 'files', path)),
    async downloadFile(id, path) {
      const response = await rest.raw(`${at(id, 'files', path)}?download=1`)
      if (!response.ok) throw new ParleyApiError(response.status, (await response.json()) as { detail: string })
      saveAs(await response.blob(), path.split('/').at(-1) ?? 'download')
    },
  }
}

/** Every segment is encoded on its own; URL parsers drop a lone `.`, so it is left out to begin with. */
function tailOf(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .map(encodeURIComponent)
    .join('/')
}

type Page = { createElement(tag: 'a'): { href: string; download: string; click(): void } }

function saveAs(blob: Blob, name: string): void {
  const { document } = globalThis as { document?: Page }
  if (!document) throw new Error('downloadFile saves through the browser. Elsewhere, use client.api.raw().')
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
