import { createElement, type ComponentType } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, describe, expect, test } from 'vitest'
import type { ChatAdapter } from '../../model/chat-adapter.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { ContentBlock } from '../../model/content-block.ts'
import { createChatStore } from '../../store/create-chat-store.ts'
import { Block } from './block.tsx'
import { BlockRegistry, openRegisteredTool } from './block-registry.ts'
import { StoreProvider } from '../kit/chat-kit-provider.tsx'
import type { BlockProps } from '../kit/kit-context.ts'

const adapter: ChatAdapter = { name: 'none', isAuthError: () => false, send: async function* () {} }
const message: ChatMessage = { messageID: 'm', role: { name: 'AI', type: 'Assistant', avatar: '' }, content: [] }
const tool = { type: 'Tool' as const, content: { name: 'weather', title: 'Weather' } }

function draw(block: ContentBlock, blocks: Record<string, ComponentType<BlockProps>> = {}) {
  const store = createChatStore({ adapter })
  const drawn = createElement(Block, { block, message, isStreaming: false })
  return renderToStaticMarkup(createElement(StoreProvider, { store, blocks, locale: 'en' }, drawn))
}

afterEach(() => BlockRegistry.clearAll())

describe('[K14] block registry', () => {
  test('[K14] an unknown type is a row with its name, never an error and never dropped', () => {
    expect(draw({ type: 'Hologram', content: null })).toContain('Content of type “Hologram” cannot be shown here.')
  })

  test('[K14] a tool can be added, replaced and removed', () => {
    BlockRegistry.registerTool({ name: 'weather', render: () => createElement('b', null, 'one') })
    expect(draw(tool)).toBe('<b>one</b>')
    BlockRegistry.registerTools([{ name: 'weather', render: () => createElement('b', null, 'two') }])
    expect(draw(tool)).toBe('<b>two</b>')
    expect(BlockRegistry.getAllToolNames()).toEqual(['weather'])
    expect(BlockRegistry.unregisterTool('weather')).toBe(true)
    expect(BlockRegistry.hasTool('weather')).toBe(false)
    expect(draw(tool)).toContain('Weather')
  })

  test('[K14] the blocks of one instance win over the registry', () => {
    BlockRegistry.registerTool({ name: 'weather', render: () => createElement('b', null, 'global') })
    expect(draw(tool, { Tool: () => createElement('i', null, 'mine') })).toBe('<i>mine</i>')
  })

  test('[K14] onClick replaces the drawer, and what it returned is called when another tool is opened', () => {
    const calls: string[] = []
    BlockRegistry.registerTool({ name: 'weather', onClick: () => () => calls.push('closed') })
    expect(openRegisteredTool(tool)).toBe(true)
    expect(openRegisteredTool({ type: 'Tool', content: { name: 'other', title: '' } })).toBe(false)
    expect(calls).toEqual(['closed'])
  })
})
