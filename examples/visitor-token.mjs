// Stands in for the part of your own back end that lets visitors chat: it knows who they are, and makes a short-lived
// token for each with the key, which never leaves this process. Yours asks your own sign-in instead of a cookie.
import { randomUUID } from 'node:crypto'

const { PARLEY_URL = 'http://127.0.0.1:8020', PARLEY_KEY = '' } = process.env
const COOKIE = 'visitor'
const DAYS = 30 * 24 * 3600

/**
 * Answers `POST /token` with a token for whoever asks, as text.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
export async function answerToken(request, response) {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const visitor = visitorOf(request.headers.cookie) ?? randomUUID()
  const { status, text } = await makeToken(visitor).catch(() => ({ status: 502, text: 'Parley cannot be reached.' }))
  // Not for scripts, and not sent along from other sites.
  const cookie = `${COOKIE}=${visitor}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${DAYS}`
  response.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store', 'set-cookie': cookie })
  response.end(text)
}

/** @param {string} subject */
async function makeToken(subject) {
  if (!PARLEY_KEY)
    return { status: 503, text: 'Set PARLEY_KEY to an API key of your Parley server and start this again.' }
  const response = await fetch(`${PARLEY_URL}/api/auth/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PARLEY_KEY}`, 'content-type': 'application/json' },
    // With `decide`, visitors themselves consent to calls that ask; without, those wait for you in /api/confirmations.
    body: JSON.stringify({ subject, scopes: ['chat', 'files'], expires_in: 3600 }),
  })
  const { token, detail } = await response.json()
  return { status: response.ok ? 200 : 502, text: token ?? detail }
}

/** @param {string | undefined} cookies */
function visitorOf(cookies = '') {
  return new RegExp(`(?:^|; )${COOKIE}=([0-9a-f-]{36})(?:;|$)`).exec(cookies)?.[1]
}
