import { createHash } from 'node:crypto'
import { isTextDeeper } from '@parley/protocol/wire'
import type { JsonValue, ToolOutput } from '../../ports.ts'
import { boundResult } from '@parley/tools'

/** How much a backend may say of one result, at once or later. */
export const RESULT_BYTES = 1024 * 1024

/** What a backend brought; or what is wrong with it. `ignored`: fields that nobody reads. */
export type ReadAnswer =
  | { output: ToolOutput; digest: string; ignored: string[] }
  | { wrong: 'deep' | 'no JSON' | 'neither' }

/** `{ "result": … }`, or `{ "error": "a sentence" }`, which the model reads. */
export function readAnswer(bytes: Uint8Array): ReadAnswer {
  const text = Buffer.from(bytes).toString('utf8')
  if (isTextDeeper(text)) return { wrong: 'deep' }
  let said: unknown
  try {
    said = JSON.parse(text)
  } catch {
    return { wrong: 'no JSON' }
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return { wrong: 'neither' }
  const { result, error, ...rest } = said as { result?: JsonValue; error?: JsonValue }
  const isResult = result !== undefined && error === undefined
  const isError = result === undefined && typeof error === 'string' && error !== ''
  if (!isResult && !isError) return { wrong: 'neither' }
  const output = isResult ? { result: boundResult(result) } : { result: boundResult(error!), isError: true }
  const digest = createHash('sha256').update(JSON.stringify(isResult ? { result } : { error }))
  return { output, digest: digest.digest('hex'), ignored: Object.keys(rest) }
}
