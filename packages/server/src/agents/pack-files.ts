import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import { type AgentFile, folderDigest } from './folder/read-folder.ts'
import { FOLDER_LIMITS, pathProblem } from './folder/walk-folder.ts'

const packedSchema = z.array(z.tuple([z.string(), z.boolean(), z.base64()])).max(FOLDER_LIMITS.files)

/** As much as a folder at its limits makes. */
const MAX_BYTES = 2 * FOLDER_LIMITS.bytes + FOLDER_LIMITS.files * (2 * FOLDER_LIMITS.pathCharacters + 100)

/** A folder as one text. */
export async function packFiles(files: readonly AgentFile[]): Promise<string> {
  const list = files.map(({ path, isExecutable, bytes }) => [path, isExecutable, bytes.toString('base64')])
  return (await promisify(gzip)(JSON.stringify(list))).toString('base64')
}

/** Throws when that is not the folder that the digest stands for. */
export async function unpackFiles(packed: string, name: string, digest: string): Promise<AgentFile[]> {
  const json = await promisify(gunzip)(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_BYTES })
  const files = packedSchema.parse(JSON.parse(json.toString())).map(([path, isExecutable, bytes]) => {
    if (pathProblem(path)) throw new Error('A path leads out of the folder.')
    return { path, isExecutable, bytes: Buffer.from(bytes, 'base64') }
  })
  if (folderDigest(name, files) !== digest) throw new Error('The files are not those of this version.')
  return files
}
