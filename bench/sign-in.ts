/**
 * What does a product's own token cost at the door, the first time and again? Beside an API key and a visitor's token of
 * ours. Run: node --conditions=parley-source bench/sign-in.ts
 */
import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign as signBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Auth, openAuth } from '../packages/server/src/auth/auth.ts'
import { openSqlite } from '../packages/server/src/store/sqlite/engine.ts'

const TOKENS = 2_000
const REQUESTS = 20_000
const NAMES = { issuer: 'https://shop.example', audience: 'parley' }
const SECRET = randomBytes(32).toString('hex')
const PAIRS = {
  HS256: () => undefined,
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

const directory = await mkdtemp(join(tmpdir(), 'parley-bench-'))
await using engine = await openSqlite({ directory, now: Date.now })
console.log('| credential | CPU µs the first time | CPU µs again |\n| --- | --- | --- |')
try {
  await using plain = await open({ secret: SECRET })
  const { key, plaintext } = await plain.keys.create(plain.owner_id, 'bench')
  const { token } = await plain.createToken(plain.owner_id, key.id, { subject: 'anna' })
  for (const [name, text] of Object.entries({ 'API key': plaintext, 'visitor’s token': token }))
    console.log(`| ${name} | – | ${(await timeOf(plain, Array(REQUESTS).fill(text))).toFixed(0)} |`)
  for (const [alg, makePair] of Object.entries(PAIRS)) {
    const pair = makePair()
    await using auth = await open(pair ? { publicKey: pemOf(pair.publicKey) } : { secret: SECRET })
    const tokens = Array.from({ length: TOKENS }, (_, made) => makeToken(alg, made, pair?.privateKey))
    await auth.authenticate(tokens.pop()!) // the visitor is written down
    const first = await timeOf(auth, tokens)
    const again = await timeOf(auth, Array(REQUESTS).fill(tokens[0]))
    console.log(`| JWT, ${alg}, ${tokens[0]!.length} bytes | ${first.toFixed(0)} | ${again.toFixed(0)} |`)
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}

function open(keys: { secret: string } | { publicKey: string }): Promise<Auth> {
  return openAuth({
    ...{ engine, randomBytes, now: Date.now },
    secret: { key: (purpose) => Buffer.from(purpose.padEnd(32, '.')) },
    onError: (error) => console.error(error),
    signIn: {
      options: { ...NAMES, ...keys },
      egress: { request: () => Promise.reject(new Error('Nobody is asked.')) },
      elapsed: () => performance.now(),
      onRefused: (problem) => console.error(problem),
      onKeys: () => undefined,
    },
  })
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: 'spki', format: 'pem' }))
}

function makeToken(alg: string, made: number, key?: KeyObject): string {
  const [iat, iss, aud] = [Math.floor(Date.now() / 1000), NAMES.issuer, NAMES.audience]
  const claims = { iss, aud, sub: 'anna', jti: `token ${made}`, email: 'anna@shop.example', iat, exp: iat + 600 }
  const parts = [{ alg, kid: 'one' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const input = parts.join('.')
  if (!key) return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`
  const how = { key, dsaEncoding: 'ieee-p1363' } as const
  return `${input}.${signBytes(alg === 'EdDSA' ? null : 'sha256', Buffer.from(input), how).toString('base64url')}`
}

/** Microseconds of CPU for each, all threads together: others on the machine change nothing about it. */
async function timeOf(auth: Auth, tokens: string[]): Promise<number> {
  const since = process.cpuUsage()
  for (const token of tokens) if (!(await auth.authenticate(token))) throw new Error('It was not let in.')
  const { user, system } = process.cpuUsage(since)
  return (user + system) / tokens.length
}
