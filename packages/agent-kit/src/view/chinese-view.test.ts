import { ParleyClient } from '@parley/client'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { BladeClientProvider } from '../app/blade-client-provider.tsx'
import { ChatView } from './chat-view.tsx'
import type { ChatViewProps } from './chat-view-props.ts'

/** As a server renders it, where there is no page to ask for its language. */
function draw(props: ChatViewProps): string {
  const client = new ParleyClient({ baseUrl: 'http://127.0.0.1:1', token: 't' })
  return renderToStaticMarkup(createElement(BladeClientProvider, { client, children: createElement(ChatView, props) }))
}

function wordsOn(page: string): string[] {
  const spoken = [...page.matchAll(/(?:aria-label|title|placeholder|alt)="([^"]*)"/g)].map(([, text]) => text!)
  return [...spoken, page.replaceAll(/<[^>]+>/g, ' ')].flatMap((text) => text.match(/[a-zA-Z]{3,}/g) ?? [])
}

describe.each(['zh', 'zh-CN', 'zh_CN'])('[W14.6] a view in %s', (locale) => {
  test.each([{ sessionId: 'sess_1' }, {}])('of %j shows and says nothing in English', (props) => {
    const page = draw({ ...props, locale })
    expect(page).toMatch(/[\u4e00-\u9fff]/)
    expect(wordsOn(page)).toEqual([])
  })
})

test('[W14.6] a language that nobody knows is English, and breaks nothing', () => {
  expect(draw({ locale: 'not a language' })).toContain('aria-label="Chat"')
})
