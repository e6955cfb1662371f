import { createHash } from 'node:crypto'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { OIDC_PATH } from '../../../auth/cookie.ts'
import { escapeText } from '../../../http/escape-text.ts'
import { errorAnswer } from '../../../http/failure.ts'
import { readerOf } from '../../../http/reader.ts'
import type { Language } from '../../../words/language.ts'
import { say } from '../../../words/phrases.ts'

const STYLE =
  'body{font:1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}code{padding:.2em .4em;background:#8882;border-radius:.3em}:root{color-scheme:light dark}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

type Handler = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void

/** What is wrong with a sign-in link: a page for people who opened it in a browser, else what every error is. */
export const refusedLink: Handler = refusalPage('link', (advice) => `${advice} <code>npx parley sign-in-link</code>`)

/** What is wrong with a sign-in by OpenID Connect. */
export const refusedSignIn: Handler = refusalPage('signIn', (advice) => `<a href="${OIDC_PATH}/login">${advice}</a>`)

function refusalPage(kind: Page['kind'], remedy: Page['remedy']): Handler {
  return (error, request, reply) => {
    const reader = readerOf(request)
    const { status, body } = errorAnswer(error, reader)
    if ((status >= 500 && status !== 503) || !request.headers.accept?.includes('text/html')) throw error
    sendPage(reply.code(status), { kind, remedy, detail: body.detail, language: reader.language })
  }
}

type Page = { kind: 'link' | 'signIn'; remedy: (advice: string) => string; detail: string; language: Language }

function sendPage(reply: FastifyReply, { kind, remedy, detail, language }: Page): void {
  const words = (name: 'title' | 'advice') => say(`${kind}.${name}`, language)
  void reply.type('text/html; charset=utf-8').headers({
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }).send(`<!doctype html><html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Parley</title><link rel="icon" href="data:,">
<style>${STYLE}</style></head>
<body><h1>${words('title')}</h1><p>${escapeText(detail)}</p><p>${remedy(words('advice'))}</p></body></html>`)
}
