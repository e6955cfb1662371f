import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { ChatAdapter } from '../../model/chat-adapter.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { ChatKit } from './chat-kit.tsx'
import { Composer } from '../composer/composer.tsx'
import { ChatKitProvider } from './chat-kit-provider.tsx'

const adapter: ChatAdapter = { name: 'none', isAuthError: () => false, send: async function* () {} }

describe('[K1] on a server', () => {
  test('[K1] rendering without a window yields the shell with the onboarding placeholder', () => {
    const page = renderToStaticMarkup(createElement(ChatKit, { adapter, locale: 'zh-CN', token: 'secret' }))
    expect(page).toContain('role="complementary"')
    expect(page).toContain('class="ck-skeleton" role="status" aria-label="加载中"')
    expect(page).toContain('aria-label="消息"')
    expect(page).not.toContain('secret')
  })

  test('[K3.1] what is not visible is not rendered', () => {
    expect(renderToStaticMarkup(createElement(ChatKit, { adapter, visible: false }))).toBe('')
  })
})

describe('[K15.1] primitives', () => {
  test('[K15.1] a primitive takes the class name and the props of its element', () => {
    const composer = createElement(Composer, { className: 'mine', 'aria-label': 'Ask', id: 'ask' })
    const page = renderToStaticMarkup(createElement(ChatKitProvider, { adapter }, composer))
    expect(page).toMatch(/^<form part="composer" class="ck-composer mine" aria-label="Ask" id="ask">/)
  })

  test('[K15.1] Markdown works on its own', () => {
    const page = renderToStaticMarkup(
      createElement(Markdown, { text: '**a', streaming: true, className: 'mine', lang: 'en' }),
    )
    expect(page).toBe('<div class="ck-md mine" lang="en"><div class="ck-group"><p><strong>a</strong></p></div></div>')
  })

  test('[K15.1] a part outside of a provider says what to do', () => {
    expect(() => renderToStaticMarkup(createElement(Composer))).toThrow(/ChatKitProvider/)
  })
})
