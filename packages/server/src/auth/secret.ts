import { hkdfSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../store/engine.ts'
import { StoreError } from '../store/errors.ts'
import { runSql, type Work } from '../store/work.ts'
import { writePrivateFile } from '../write-private-file.ts'
import type { AuthTools } from './tools.ts'

export type SecretOptions = Pick<AuthTools, 'randomBytes'> & {
  engine: Engine
  /** Where the generated secret lies when the database is SQLite. */
  dataDir: string
  /** `PARLEY_SECRET`. */
  configured: string | undefined
}

export type Secret = {
  /** A 256-bit key for one purpose; keys of two purposes tell nothing about each other. */
  key(purpose: string): Buffer
  /** What the operator should know about where the secret is kept; `null` when all is well. */
  warning: string | null
}

const SIZE = 32
const FILE = 'secret'
const SECRET = /^[0-9a-f]{64}$/i

/** The server's secret: the configured one, else one generated at the first start and kept. */
export async function loadSecret({ engine, dataDir, configured, randomBytes }: SecretOptions): Promise<Secret> {
  if (configured !== undefined) return secretOf(Buffer.from(configured), null)
  const fresh = randomBytes(SIZE).toString('hex')
  if (engine.kind === 'sqlite') return secretInFile(join(dataDir, FILE), fresh)
  const stored = await engine.write(() => secretInDatabase(fresh))
  return secretOf(
    Buffer.from(stored, 'hex'),
    'PARLEY_SECRET is not set: the key for cookies and stored secrets was generated and is kept in the database, beside what it protects.',
  )
}

async function secretInFile(file: string, fresh: string): Promise<Secret> {
  // One server per data directory: nobody else writes it meanwhile.
  if (!existsSync(file)) await writePrivateFile(file, fresh)
  const text = (await readFile(file, 'utf8')).trim()
  if (!SECRET.test(text))
    throw new StoreError(
      'corrupt',
      `${file} is damaged: it does not hold the ${2 * SIZE} digits that were put there. Restore it from a backup; or remove it, which signs everybody out and makes stored variables unreadable.`,
    )
  const { mode } = await stat(file)
  const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0
  return secretOf(
    Buffer.from(text, 'hex'),
    isOpen ? `${file} can be read by other users of this machine. Run: chmod 600 ${file}` : null,
  )
}

function* secretInDatabase(fresh: string): Work<string> {
  yield* runSql(`INSERT INTO meta (key, value) VALUES ('secret', ?) ON CONFLICT (key) DO NOTHING`, [fresh])
  const [row] = yield* runSql<{ value: string }>(`SELECT value FROM meta WHERE key = 'secret'`, [])
  return row!.value
}

function secretOf(bytes: Buffer, warning: string | null): Secret {
  return { key: (purpose) => Buffer.from(hkdfSync('sha256', bytes, '', `parley:${purpose}`, SIZE)), warning }
}
