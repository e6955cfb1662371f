/* oxlint-disable import/default -- the files are imported as text */
import element from './snippets/element.html?raw'
import http from './snippets/http.sh?raw'
import iframe from './snippets/iframe.html?raw'
import react from './snippets/react.tsx?raw'
import script from './snippets/script.html?raw'
import socket from './snippets/socket.mjs?raw'
import node from './snippets/token-server.mjs?raw'
import python from './snippets/token_server.py?raw'

export const KINDS = ['script', 'element', 'react', 'iframe', 'http', 'socket'] as const
export type Kind = (typeof KINDS)[number]

/** Those that stand on a page: their visitors need a token, and their origin is checked. */
export const isOnPage = (kind: Kind) => kind !== 'http' && kind !== 'socket'

export const isKind = (text: string): text is Kind => (KINDS as readonly string[]).includes(text)

/** Files that run as they are; a test runs each. */
const SNIPPETS: Record<Kind, string> = { script, element, react, iframe, http, socket }

/** The part of the product's own server that lets visitors in. The key never leaves it. */
export const TOKEN_SERVERS = { node, python }

export type Filled = { origin: string; heading: string }

/** With this server's address and the reader's words in place of those in the file. */
export function fill(snippet: string, { origin, heading }: Filled): string {
  return snippet
    .trimEnd()
    .replaceAll('http://127.0.0.1:8020', origin)
    .replaceAll('Ask%20us', encodeURIComponent(heading))
    .replaceAll('Ask us', heading)
}

export function snippetOf(kind: Kind, filled: Filled): string {
  return fill(SNIPPETS[kind], filled)
}
