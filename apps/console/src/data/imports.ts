import type { ImportedFile } from '@parley/protocol/rest'
import { useSyncExternalStore } from 'react'
import { rereadKnowledge } from './knowledge.ts'
import { send } from './send.ts'

/** How many files are on their way at once. */
const AT_ONCE = 2

/** A file on its way into a collection. It stays here until it is there, also while another page is shown. */
export type Import = {
  id: number
  collection: string
  file: File
  /** `reading`: all of it has arrived, and its text is being taken out. */
  state: 'waiting' | 'sending' | 'reading' | 'failed'
  /** How much has left, from 0 to 1. */
  share: number
  reason?: string
}

let imports: readonly Import[] = []
let count = 0
const listeners = new Set<() => void>()
const running = new Map<number, AbortController>()

export const useImports = (): readonly Import[] => useSyncExternalStore(subscribe, () => imports)

export function importFiles(collection: string, files: readonly File[]): void {
  const added = files.map((file): Import => ({ id: (count += 1), collection, file, state: 'waiting', share: 0 }))
  tell([...imports, ...added])
  beginNext()
}

/** One that is under way is stopped; one that failed is forgotten. */
export function dropImport(id: number): void {
  running.get(id)?.abort()
  tell(imports.filter((each) => each.id !== id))
}

export function tryAgain(id: number): void {
  change(id, { state: 'waiting', share: 0 })
  beginNext()
}

function beginNext(): void {
  for (const each of imports) {
    if (running.size >= AT_ONCE) return
    if (each.state === 'waiting') void begin(each)
  }
}

async function begin({ id, collection, file }: Import): Promise<void> {
  const controller = new AbortController()
  running.set(id, controller)
  change(id, { state: 'sending' })
  const query = new URLSearchParams({ source: file.name, collection })
  try {
    await send<ImportedFile>('PUT', `/api/knowledge/files?${query}`, file, {
      onProgress: (share) => change(id, { share, state: share < 1 ? 'sending' : 'reading' }),
      signal: controller.signal,
    })
    await rereadKnowledge()
    tell(imports.filter((each) => each.id !== id))
  } catch (error) {
    change(id, { state: 'failed', reason: (error as Error).message })
  } finally {
    running.delete(id)
    beginNext()
  }
}

function change(id: number, to: Partial<Import>): void {
  tell(imports.map((each) => (each.id === id ? { ...each, ...to } : each)))
}

function tell(next: readonly Import[]): void {
  imports = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
