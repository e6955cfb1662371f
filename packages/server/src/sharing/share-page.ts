import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { isAgentError, ROOT_LOOP, textOf, type ToolCallProjection, type TurnProjection } from '@parley/protocol'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { escapeText } from '../http/escape-text.ts'
import { readerOf } from '../http/reader.ts'
import type { Language } from '../words/language.ts'
import { type PhraseKey, say } from '../words/phrases.ts'
import { textToHtml } from './text-to-html.ts'
import { FOR_NOBODY_ELSE, type OneLink, type OpenShareOptions } from './share-routes.ts'
import { SHARE_STYLE } from './share-style.ts'
import { sharedTurns } from './shared-turns.ts'

/** Of what a tool was given and gave back, this much is shown. */
const SHOWN_CHARACTERS = 4_000

const STYLE_HASH = createHash('sha256').update(SHARE_STYLE).digest('base64')
/** No script, nothing from elsewhere, and in no frame. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`

/** What a link shows, for people: a page without a script, for which nobody needs an account. */
export function sharePage(app: FastifyInstance, { shares, readings, ...options }: OpenShareOptions): void {
  app.get<OneLink>('/share/:token', async (request, reply) => {
    const reader = readerOf(request)
    const { language } = reader
    void reply
      .type('text/html; charset=utf-8')
      .headers({ ...FOR_NOBODY_ELSE, 'content-security-policy': POLICY })
      .header('vary', [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', '))
    const share = await shares.find(request.params.token).catch((error: unknown) => {
      if (!isAgentError(error, 'not_found')) throw error
    })
    if (!share) return sendRefused(reply, 'gone', language)
    try {
      readings.begin(share.session_id, reply)
    } catch (error) {
      if (isAgentError(error)) void reply.header('retry-after', error.details?.['retry_after'])
      return sendRefused(reply, 'busy', language)
    }
    const title = (await options.masks.of(share.session_id))(share.intent) || say('share.untitled', language)
    const pages = sharedTurns(share, { ...options, reader })
    return reply.send(Readable.from(pageOf(pages, { title, language }), { objectMode: false }))
  })
}

const REFUSED = { gone: 404, busy: 429 }

function sendRefused(reply: FastifyReply, why: keyof typeof REFUSED, language: Language): FastifyReply {
  const title = say(`share.${why}`, language)
  const advice = `<p>${say(`share.${why}Advice`, language)}</p>`
  return reply
    .code(REFUSED[why])
    .send(`${headOf({ title, language })}<header><h1>${title}</h1>${advice}</header></main>`)
}

type Heading = { title: string; language: Language }

async function* pageOf(
  pages: AsyncIterable<readonly TurnProjection[]>,
  { title, language }: Heading,
): AsyncGenerator<string> {
  yield `${headOf({ title, language })}<header><h1>${escapeText(title)}</h1><p>${say('share.note', language)}</p></header>`
  let isEmpty = true
  for await (const turns of pages)
    for (const turn of turns) {
      isEmpty = false
      yield turnHtml(turn, language)
    }
  yield `${isEmpty ? `<p>${say('share.empty', language)}</p>` : ''}</main></body></html>`
}

function headOf({ title, language }: Heading): string {
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">
<title>${escapeText(title)}</title><link rel="icon" href="data:,"><style>${SHARE_STYLE}</style></head><body><main>`
}

function turnHtml(turn: TurnProjection, language: Language): string {
  if (turn.kind === 'compaction') return `<p class="remark">${say('share.compaction', language)}</p>\n`
  const isInner = turn.loop_id !== ROOT_LOOP
  const who = isInner ? 'share.subAgent' : (`share.${turn.role}` as const)
  const parts = [
    `<h2>${say(who, language)}${timeHtml(turn.started_at)}</h2>`,
    textToHtml(saidIn(turn)),
    ...turn.tool_calls.map(callHtml),
    remarkHtml(turn, language),
    sourcesHtml(turn, language),
  ]
  return `<article class="${turn.role}${isInner ? ' inner' : ''}">${parts.join('')}</article>\n`
}

/** Beside the text, what somebody chose when they were asked, and what the server remarked. */
function saidIn(turn: TurnProjection): string {
  const others = turn.blocks.flatMap((block) => {
    if (block.type === 'system_notification') return [block.content]
    if (block.type !== 'ask_user_answer') return []
    const { answers, message } = block.content
    const chosen = answers.map(
      ({ question, selected, custom }) => `${question} ${[...selected, custom ?? ''].join(' ')}`,
    )
    return message === null ? chosen : [...chosen, message]
  })
  return [textOf(turn), ...others].filter((text) => text !== '').join('\n\n')
}

function timeHtml(at: string | null): string {
  return at === null
    ? ''
    : ` <time datetime="${escapeText(at)}">${escapeText(at.slice(0, 16).replace('T', ' '))} UTC</time>`
}

function callHtml({ display_name, arguments: given, result }: ToolCallProjection): string {
  const shown = [given, typeof result === 'string' ? result : JSON.stringify(result ?? null, null, 2)]
  const boxes = shown.map((text) => `<pre>${escapeText(shortened(text))}</pre>`)
  return `<details><summary>${escapeText(display_name)}</summary>${boxes.join('')}</details>`
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

const REMARKS: Partial<Record<TurnProjection['status'], PhraseKey>> = {
  failed: 'share.failed',
  interrupted: 'share.interrupted',
  paused: 'share.paused',
}

function remarkHtml({ status }: TurnProjection, language: Language): string {
  const key = REMARKS[status]
  return key === undefined ? '' : `<p class="remark">${say(key, language)}</p>`
}

function sourcesHtml({ citations }: TurnProjection, language: Language): string {
  if (!citations || citations.length === 0) return ''
  const items = citations.map(({ ref, title, headings }) => {
    const words = [title ?? '', ...headings].filter((word) => word !== '').join(' › ')
    return `<li>[${ref}] ${escapeText(words)}</li>`
  })
  return `<h3>${say('share.sources', language)}</h3><ul>${items.join('')}</ul>`
}
