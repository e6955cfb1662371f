/** Parts of the kit as a host might write them, under the names by which the tests ask for them. */
import { createElement } from 'react'
import { ContextChip, SendButton, TextBox, type ComposerPartProps, type KitComponents } from '../../../src/index.ts'

const note = (name: string) => () => createElement('span', { 'data-own': name }, `own ${name}`)

const PARTS: KitComponents = {
  ContextChip: () => createElement('div', { 'data-own': 'ContextChip' }, createElement(ContextChip)),
  Attachments: note('Attachments'),
  TextBox: ({ composer }) =>
    createElement('input', {
      'data-own': 'TextBox',
      'aria-label': 'own TextBox',
      value: composer.text,
      onChange: ({ target }: { target: HTMLInputElement }) => composer.setText(target.value),
    }),
  PlanningSwitch: note('PlanningSwitch'),
  AttachButton: note('AttachButton'),
  SendButton: ({ composer: { isRunning, canSend, send, stop } }) =>
    createElement(
      'button',
      { type: 'button', 'data-own': 'SendButton', disabled: !isRunning && !canSend, onClick: isRunning ? stop : send },
      isRunning ? 'Halt' : 'Go',
    ),
  FeedbackComment: ({ message, isAsked }) =>
    createElement('em', { 'data-own': 'FeedbackComment' }, `${message.messageContext?.feedback} ${isAsked}`),
  ComposerHint: ({ composer }) =>
    createElement('p', { 'data-own': 'ComposerHint', id: composer.hintID }, `own hint: ${composer.hint ?? 'none'}`),
}

/** The kit's own, with something around them. */
const WRAPPED: KitComponents = {
  SendButton: (props: ComposerPartProps) =>
    createElement('div', { className: 'mine' }, createElement(SendButton, props)),
  TextBox: (props: ComposerPartProps) => createElement('div', { className: 'mine' }, createElement(TextBox, props)),
}

/** Those that were asked for; `wrapped` is all of the wrapped ones. */
export function ownParts(names: readonly string[]): KitComponents {
  if (names.includes('wrapped')) return WRAPPED
  return Object.fromEntries(Object.entries(PARTS).filter(([name]) => names.includes(name)))
}
