import { describe, expect, test } from 'vitest'
import { readSettings } from '../../src/element/chat-settings.ts'
import { readEmbedOptions } from '../../src/element/embed-options.ts'

const attributes = (all: Record<string, string>) => ({ getAttribute: (name: string) => all[name] ?? null })

describe('attributes of the element', () => {
  test('without any, it is a side panel in the language and theme of the page, on the page’s own server', () => {
    expect(readSettings(attributes({}), 'zh-CN')).toEqual({
      server: '',
      token: '',
      session: '',
      mode: 'copilot',
      theme: 'auto',
      locale: 'zh-CN',
      heading: undefined,
      isClosable: false,
      bridgeActions: [],
    })
  })

  test.each([
    ['light', 'light'],
    ['dark', 'dark'],
    ['system', 'auto'],
    ['sepia', 'auto'],
  ])('theme %s is %s', (theme, expected) => {
    expect(readSettings(attributes({ theme }), '').theme).toBe(expected)
  })

  test('the list of actions is split at blanks', () => {
    const settings = readSettings(attributes({ 'bridge-actions': ' map.show\n map.hide ' }), '')
    expect(settings.bridgeActions).toEqual(['map.show', 'map.hide'])
  })
})

describe('attributes of the script', () => {
  const src = 'https://parley.example.com/embed.js?v=1'

  test('the server is where the script came from', () => {
    expect(readEmbedOptions({ src, dataset: {} })).toEqual({
      server: 'https://parley.example.com',
      token: undefined,
      title: undefined,
      locale: undefined,
      theme: 'system',
      position: 'right',
      hasLauncher: true,
    })
  })

  test('what the tag says wins', () => {
    const dataset = {
      server: 'https://other.example.com',
      token: 't',
      title: 'Help',
      locale: 'zh',
      theme: 'dark',
      position: 'left',
      launcher: 'off',
    }
    expect(readEmbedOptions({ src, dataset })).toEqual({
      server: 'https://other.example.com',
      token: 't',
      title: 'Help',
      locale: 'zh',
      theme: 'dark',
      position: 'left',
      hasLauncher: false,
    })
  })
})
