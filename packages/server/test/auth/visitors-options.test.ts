import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { openShop, SECRET } from './product.ts'

const NAMES = { issuer: 'https://shop.example', audience: 'parley' }
const JWKS = 'https://shop.example/keys.json'
const pem = (made: { publicKey: { export: (how: { type: 'spki'; format: 'pem' }) => string | Buffer } }) =>
  String(made.publicKey.export({ type: 'spki', format: 'pem' }))
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })

async function load(visitors: unknown) {
  const directory = await mkdtemp(join(tmpdir(), 'parley-visitors-'))
  try {
    await writeFile(join(directory, 'parley.config.json'), JSON.stringify({ visitors }))
    return (await loadConfig(directory, {})).visitors
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

test.each<[string, unknown, RegExp]>([
  ['no source of keys', NAMES, /visitors\.jwks: is missing; or say publicKey, or secret/],
  ['two sources', { ...NAMES, jwks: JWKS, secret: SECRET }, /visitors\.secret: cannot be said beside jwks/],
  ['a key and a secret', { ...NAMES, publicKey: pem(RSA), secret: SECRET }, /visitors\.secret: cannot be said beside/],
  [
    'no audience',
    { issuer: NAMES.issuer, jwks: JWKS },
    /visitors\.audience: must be what your product puts into "aud"/,
  ],
  ['an empty audience', { ...NAMES, audience: '', jwks: JWKS }, /visitors\.audience: must be/],
  ['no issuer', { audience: 'parley', jwks: JWKS }, /visitors\.issuer: must be what your product puts into "iss"/],
  ['keys over plain http', { ...NAMES, jwks: 'http://shop.example/keys' }, /visitors\.jwks: must be an https address/],
  [
    'a name that only begins local',
    { ...NAMES, jwks: 'http://127.0.0.1.shop.example/' },
    /visitors\.jwks: must be an https/,
  ],
  ['a password in the address', { ...NAMES, jwks: 'https://me:you@shop.example/' }, /visitors\.jwks: must be an https/],
  ['keys in a file', { ...NAMES, jwks: 'file:///keys.json' }, /visitors\.jwks: must be an https/],
  ['"none"', { ...NAMES, jwks: JWKS, algorithms: ['RS256', 'None'] }, /visitors\.algorithms: "none" is no algorithm/],
  ['an unknown algorithm', { ...NAMES, jwks: JWKS, algorithms: ['RS257'] }, /RS257 does not go with jwks: .*RS256/],
  [
    'a secret’s algorithm for keys',
    { ...NAMES, jwks: JWKS, algorithms: ['RS256', 'HS256'] },
    /HS256 does not go with jwks/,
  ],
  [
    'a key’s algorithm for a secret',
    { ...NAMES, secret: SECRET, algorithms: ['RS256'] },
    /RS256 does not go with secret/,
  ],
  ['no algorithm', { ...NAMES, jwks: JWKS, algorithms: [] }, /visitors\.algorithms: must name one, or be left out/],
  ['a short secret', { ...NAMES, secret: 'x'.repeat(31) }, /visitors\.secret: must have at least 32 bytes/],
  ['too short a secret for its hash', { ...NAMES, secret: 'x'.repeat(63), algorithms: ['HS512'] }, /at least 64 bytes/],
  ['what is no key', { ...NAMES, publicKey: 'ssh-rsa AAAA' }, /visitors\.publicKey: must be a public key as PEM/],
  [
    'a private key',
    { ...NAMES, publicKey: RSA.privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    /visitors\.publicKey: must be a public key/,
  ],
  [
    'a key too weak',
    { ...NAMES, publicKey: pem(generateKeyPairSync('rsa', { modulusLength: 1024 })) },
    /visitors\.publicKey: must be a public key as PEM .*2048 bits/,
  ],
  [
    'another key’s algorithm',
    { ...NAMES, publicKey: pem(RSA), algorithms: ['ES256'] },
    /ES256 does not go with publicKey/,
  ],
  ['too much skew', { ...NAMES, jwks: JWKS, clockSkewSeconds: 301 }, /visitors\.clockSkewSeconds/],
  ['an unknown scope', { ...NAMES, jwks: JWKS, scopes: ['admin'] }, /visitors\.scopes/],
  ['a misspelt option', { ...NAMES, jwks: JWKS, jwksUrl: JWKS }, /visitors\.jwksUrl: there is no such option/],
])('[W12.12.3] %s is refused with a sentence', async (_name, visitors, message) => {
  await expect(load(visitors)).rejects.toThrow(message)
})

test.each([
  [{ jwks: JWKS }],
  [{ jwks: 'http://localhost:3000/keys' }],
  [{ jwks: 'http://[::1]:3000/keys', algorithms: ['ES512', 'Ed25519'] }],
  [{ secret: 'x'.repeat(64), algorithms: ['HS512'], scopes: ['chat', 'decide'], subject: 'email' }],
  [{ publicKey: pem(generateKeyPairSync('ed25519')), clockSkewSeconds: 0, maxAgeSeconds: 60 }],
  [{ publicKey: pem(generateKeyPairSync('ec', { namedCurve: 'P-384' })), algorithms: ['ES384'] }],
])('[W12.12.3] %j is good', async (options) => {
  expect(await load({ ...NAMES, ...options })).toEqual({ ...NAMES, ...options })
})

test('[W12.12.3] options of a program are checked like those of a file', async () => {
  await expect(openShop({ visitors: { secret: 'short' } })).rejects.toThrow('at least 32 bytes')
})
