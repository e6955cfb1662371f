import type { Question } from '@parley/protocol'
import { expect, test } from 'vitest'
import { type Key, newPicker, type PickerStep, pickerLines, pressKey, typedChoice } from './question-picker.ts'
import { createStyle } from './terminal.ts'
import { wordsOf } from './words.ts'

const option = (label: string) => ({ label, description: null })
const deploy: Question = {
  question: 'Where?',
  header: 'Deploy',
  options: ['staging', 'production'].map(option),
  multiSelect: false,
}
const many: Question = { ...deploy, multiSelect: true }
const free: Question = { ...deploy, options: [] }

/** Presses keys, by name or as typed text, until the picker is done. */
function press(question: Question, ...keys: string[]): PickerStep {
  let step: PickerStep = { picker: newPicker(question) }
  for (const key of keys) if ('picker' in step) step = pressKey(step.picker, keyOf(key))
  return step
}

function keyOf(key: string): Key {
  if (key === 'ctrl-c') return { name: 'c', ctrl: true, sequence: '\u0003' }
  const isNamed = ['up', 'down', 'return', 'space', 'escape', 'backspace'].includes(key)
  return isNamed ? { name: key, sequence: '\r' } : { sequence: key }
}

test('Enter alone chooses what the cursor begins on', () => {
  expect(pressKey(newPicker(deploy, { cursor: 1 }), keyOf('return'))).toEqual({ choice: { selected: [1], custom: '' } })
})

test.each([
  ['Enter takes the line the cursor is on', press(deploy, 'return'), { selected: [0], custom: '' }],
  ['the arrow moves it', press(deploy, 'down', 'return'), { selected: [1], custom: '' }],
  ['a digit jumps to it', press(deploy, '2', 'return'), { selected: [1], custom: '' }],
  ['it goes round', press(deploy, 'up', 'up', 'return'), { selected: [1], custom: '' }],
  [
    'Space selects several, in the order of the options',
    press(many, 'down', 'space', 'up', 'space', 'return'),
    { selected: [0, 1], custom: '' },
  ],
  [
    'Space twice takes it back',
    press(many, 'space', 'space', 'down', 'space', 'return'),
    { selected: [1], custom: '' },
  ],
  ['several: Enter alone takes the one under the cursor', press(many, 'return'), { selected: [0], custom: '' }],
  ['the last line takes words', press(deploy, 'up', 'return', '自', '己', 'return'), { selected: [], custom: '自己' }],
  [
    'words may come beside a selection',
    press(many, 'space', 'up', 'space', 'x', 'return'),
    { selected: [0], custom: 'x' },
  ],
  [
    'Backspace takes back a whole emoji',
    press(deploy, 'up', 'return', 'a', '👩‍🚀', 'backspace', 'return'),
    { selected: [], custom: 'a' },
  ],
  ['a question without options takes words at once', press(free, 'hi', 'return'), { selected: [], custom: 'hi' }],
])('[W7.11] %s', (_name, pressed, choice) => {
  expect(pressed).toEqual({ choice })
})

test('[W7.11] nothing typed is no answer', () => {
  expect(press(free, ' ', 'return')).toMatchObject({ picker: { isTyping: true } })
})

test('Esc leaves the words first and the question second; Ctrl-C leaves everything', () => {
  expect(press(deploy, 'up', 'return', 'x', 'escape')).toMatchObject({ picker: { isTyping: false } })
  expect(press(deploy, 'escape')).toEqual({ left: 'skipped' })
  expect(press(deploy, 'ctrl-c')).toEqual({ left: 'interrupted' })
})

test('the lines show the question, the options with the cursor, and the keys', () => {
  expect(pickerLines(newPicker(deploy), createStyle(false), wordsOf('en'))).toEqual([
    'Deploy – Where?',
    '❯ staging',
    '  production',
    '  Something else …',
    '↑↓ choose · Enter confirm · Esc skip',
  ])
})

test('[D5] consent is given or refused, and not in words of one’s own', () => {
  const consent = newPicker(deploy, { isClosed: true })
  expect(pickerLines(consent, createStyle(false), wordsOf('en')).join()).not.toContain('Something else')
  expect(pressKey(consent, keyOf('up'))).toMatchObject({ picker: { cursor: 1 } })
  expect(pressKey(consent, keyOf('3'))).toEqual({ picker: consent })
})

test('a label cannot send escape sequences to the terminal', () => {
  const evil = { ...deploy, options: [option('\u001b]52;c;AAAA\u0007ok')] }
  expect(pickerLines(newPicker(evil), createStyle(false), wordsOf('en')).join('')).not.toContain('\u001b')
})

test.each([
  ['a number', typedChoice(deploy, '2'), { selected: [1], custom: '' }],
  ['several numbers', typedChoice(many, '1, 2'), { selected: [0, 1], custom: '' }],
  ['several numbers where one is wanted: words', typedChoice(deploy, '1 2'), { selected: [], custom: '1 2' }],
  ['a number that is no option: words', typedChoice(deploy, '7'), { selected: [], custom: '7' }],
  ['words', typedChoice(deploy, ' neither '), { selected: [], custom: 'neither' }],
  ['nothing', typedChoice(deploy, '  '), null],
])('a typed line: %s', (_name, taken, choice) => {
  expect(taken).toEqual(choice)
})
