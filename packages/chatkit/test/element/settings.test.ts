import { describe, expect, test, vi } from 'vitest'
import { readSettings } from '../../src/element/chat-settings.ts'
import { readEmbedOptions } from '../../src/element/embed-options.ts'

const attributes = (all: Record<string, string>) => ({ getAttribute: (name: string) => all[name] ?? null })

describe('attributes of the element', () => {
  test('without any, it is a side panel in the language and theme of the page, on the page’s own server', () => {
    expect(readSettings(attributes({}), 'zh-CN')).toEqual({
      server: '',
      token: '',
      tokenUrl: '',
      session: '',
      agent: '',
      mode: 'copilot',
      theme: 'auto',
      locale: 'zh-CN',
      heading: undefined,
      accent: undefined,
      greeting: undefined,
      questions: [],
      remember: 'chat',
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

  test('two agents on a page do not share what the tab remembers', () => {
    expect(readSettings(attributes({ agent: ' support ' }), '')).toMatchObject({
      agent: 'support',
      remember: 'support',
    })
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
      tokenUrl: undefined,
      agent: undefined,
      title: undefined,
      locale: undefined,
      theme: 'system',
      position: 'right',
      icon: { path: expect.stringMatching(/^M/) },
      accent: undefined,
      greeting: undefined,
      questions: undefined,
      remember: true,
      hasLauncher: true,
    })
  })

  test('what the tag says wins', () => {
    const dataset = {
      server: 'https://other.example.com/',
      token: 't',
      tokenUrl: '/chat-token',
      agent: 'support',
      title: 'Help',
      language: 'zh',
      theme: 'dark',
      position: 'left',
      icon: '/bird.svg',
      accent: '#0a7d4f',
      greeting: 'Good day.',
      questions: 'Where? | When?',
      remember: 'off',
      launcher: 'off',
    }
    expect(readEmbedOptions({ src, dataset })).toEqual({
      server: 'https://other.example.com',
      token: 't',
      tokenUrl: '/chat-token',
      agent: 'support',
      title: 'Help',
      locale: 'zh',
      theme: 'dark',
      position: 'left',
      icon: { image: '/bird.svg' },
      accent: '#0a7d4f',
      greeting: 'Good day.',
      questions: 'Where? | When?',
      remember: false,
      hasLauncher: false,
    })
  })
})

describe('values that cannot be meant', () => {
  const src = 'https://parley.example.com/embed.js'

  test.each([
    ['theme', 'sepia', 'data-theme takes system, light, dark; it is "sepia".'],
    ['position', 'top', 'data-position takes right, left; it is "top".'],
    ['icon', 'bird', 'data-icon takes chat, question, spark or the address of an image; it is "bird".'],
    ['accent', 'greenish', 'data-accent takes a colour such as #0a7d4f; it is "greenish".'],
    ['remember', 'no', 'data-remember takes on, off; it is "no".'],
    ['launcher', 'no', 'data-launcher takes on, off; it is "no".'],
    [
      'server',
      'parley',
      'data-server takes the address of a Parley server such as https://parley.example.com; it is "parley".',
    ],
    [
      'icon',
      'javascript:alert(1)',
      'data-icon takes chat, question, spark or the address of an image; it is "javascript:alert(1)".',
    ],
  ])('data-%s="%s" is told with what is allowed, and the default holds', (name, value, sentence) => {
    const told = vi.spyOn(console, 'warn').mockImplementation(() => {})
    expect(readEmbedOptions({ src, dataset: { [name]: value } })).toEqual(readEmbedOptions({ src, dataset: {} }))
    expect(told.mock.calls).toEqual([[`[parley] ${sentence}`]])
    told.mockRestore()
  })

  test('an attribute of the element is told once, however often it is read', () => {
    const told = vi.spyOn(console, 'warn').mockImplementation(() => {})
    for (let times = 0; times < 3; times++)
      expect(readSettings(attributes({ mode: 'side' }), 'en').mode).toBe('copilot')
    expect(told.mock.calls).toEqual([['[parley] <parley-chat mode> takes copilot, assistant; it is "side".']])
    told.mockRestore()
  })
})

test('preset questions stand in one attribute, between bars or on lines, and have bounds', () => {
  const { questions } = readSettings(attributes({ questions: ' Where? | When?\n\nHow? | ' }), 'en')
  expect(questions).toEqual(['Where?', 'When?', 'How?'])
  expect(readSettings(attributes({ questions: 'x|'.repeat(100) }), 'en').questions).toHaveLength(20)
  expect(readSettings(attributes({ questions: 'x'.repeat(900) }), 'en').questions[0]).toHaveLength(200)
})
