import type { ConfirmationCard } from '../../model/agent-blocks.ts'
import { formatValue } from '../texts/format.ts'
import { useConsentTexts } from '../texts/consent-texts.ts'
import { DiffView } from './diff-view.tsx'
import { fileChange, type ShownChange } from './file-change.ts'
import { VisibleText } from './visible-text.tsx'

type Arguments = Record<string, unknown>

/** What the call would be made with. */
export const argumentsOf = ({ arguments: given, action }: ConfirmationCard): Arguments => given ?? action.params

/** What happens with consent, in a few words. */
export function callTitle(card: ConfirmationCard, texts: ReturnType<typeof useConsentTexts>): string {
  if (commandOf(card) !== undefined) return texts.runCommand
  const path = argumentsOf(card)['file_path']
  if (typeof path === 'string' && isTool(card, 'Edit')) return texts.editFile(path)
  if (typeof path === 'string' && isTool(card, 'Write')) return texts.writeFile(path)
  return card.title || card.message || texts.confirmation
}

/**
 * All of what would happen, each argument once: a command as it is typed, a file as the lines that change, everything else by
 * name.
 */
export function ConfirmationCall({ card }: { card: ConfirmationCard }) {
  const texts = useConsentTexts()
  const given = argumentsOf(card)
  const command = commandOf(card)
  const change = command === undefined ? fileChangeOf(card) : undefined
  const shown = new Set<string>(command === undefined ? change?.shown : ['command'])
  const others = Object.entries(given).filter(([name]) => !shown.has(name))
  const hasNothing = Object.keys(given).length === 0
  return (
    <>
      {command === undefined ? null : (
        <pre className="ck-call" dir="ltr" data-prompt>
          <VisibleText text={command} />
        </pre>
      )}
      {change ? <DiffView change={change} /> : null}
      {others.length > 0 ? (
        <dl className="ck-arguments-list">
          {others.map(([name, value]) => (
            <div key={name}>
              <dt>
                <VisibleText text={name} />
              </dt>
              <dd>
                <VisibleText text={formatValue(value)} />
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {hasNothing && card.preview ? (
        <pre className="ck-call" dir="ltr">
          <VisibleText text={card.preview} />
        </pre>
      ) : null}
      {others.length === 0 ? null : (
        <details className="ck-json">
          <summary>{texts.showJson}</summary>
          <pre className="ck-call" dir="ltr">
            <VisibleText text={formatValue(given)} />
          </pre>
        </details>
      )}
    </>
  )
}

/** By its name: what another tool calls `command` need not be one. */
function isTool({ action }: ConfirmationCard, name: string): boolean {
  return action.type === name || (action.type === 'tool' && action.target === name)
}

function commandOf(card: ConfirmationCard): string | undefined {
  const { command } = argumentsOf(card)
  return isTool(card, 'Bash') && typeof command === 'string' ? command : undefined
}

function fileChangeOf(card: ConfirmationCard): ShownChange | undefined {
  const isOfFile = isTool(card, 'Edit') || isTool(card, 'Write')
  return isOfFile || card.change ? fileChange(argumentsOf(card), card.change) : undefined
}
