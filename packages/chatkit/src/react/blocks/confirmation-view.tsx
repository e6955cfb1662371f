import { useState, type ReactNode } from 'react'
import { CodeBlock } from '../../markdown/code-block.tsx'
import type { ConfirmationBlock, ConfirmationCard } from '../../model/agent-blocks.ts'
import { formatClock, formatValue } from '../texts/format.ts'
import { Icon } from '../controls/icon.tsx'
import { useKit, useStore, useTexts, type BlockProps } from '../kit/kit-context.ts'
import { ArgumentsForm } from './arguments-form.tsx'

/** A risky action that runs only with consent. Nothing here answers by itself. */
export function ConfirmationView({ block }: BlockProps<ConfirmationBlock>) {
  const { options, isReadOnly } = useKit()
  const { texts, locale } = options
  const card = block.content
  // Here, not in the card's lower part: a decision that is refused brings that back as it was.
  const [draft, setDraft] = useState<string>()
  const isWaiting = card.state === 'waiting'
  const isAsked = isWaiting && !card.isForOthers && !isReadOnly
  const decided = card.state === 'cancelled' ? texts.withdrawn : card.approved ? texts.approved : texts.rejected
  const title = isAsked ? texts.confirmation : isWaiting ? texts.othersDecide : decided
  const given = card.arguments && (
    <CodeBlock code={formatValue(card.arguments)} title={texts.arguments} language="json" />
  )
  return (
    <div
      role="group"
      className="ck-card ck-confirmation"
      data-risk={isAsked ? card.risk : undefined}
      aria-label={title}
    >
      <p className="ck-card-head">
        <Icon name="shield" />
        {title}
        <span className="ck-risk">{texts.risk[card.risk]}</span>
      </p>
      <p dir="auto">{card.message}</p>
      {card.preview && !isRepeated(card) ? (
        <CodeBlock code={card.preview} title={card.action.target || card.action.type} />
      ) : null}
      {isAsked ? <Decision {...{ card, given, draft, setDraft }} /> : given}
      {isWaiting && card.expiresAt ? (
        <p className="ck-muted">{texts.expires(formatClock(Date.parse(card.expiresAt), locale))}</p>
      ) : null}
    </div>
  )
}

/** The preview of a tool that has none of its own is its arguments, which stand below it. */
const isRepeated = ({ preview, arguments: given }: ConfirmationCard): boolean =>
  given !== undefined && JSON.stringify(parseObject(preview)) === JSON.stringify(given)

type DecisionProps = {
  card: ConfirmationCard
  /** The arguments, drawn. */
  given: ReactNode
  draft: string | undefined
  setDraft: (draft: string) => void
}

function Decision({ card, given, draft, setDraft }: DecisionProps) {
  const texts = useTexts()
  const store = useStore()
  const edited = draft === undefined ? undefined : parseObject(draft)
  const isInvalid = draft !== undefined && edited === undefined
  const decide = (approved: boolean) => {
    const change = approved && edited && { editedArguments: edited }
    // A failure is shown in the list.
    void store.answerConfirmation({ confirmationId: card.confirmationId, approved, ...change }).catch(() => {})
  }
  return (
    <>
      {draft === undefined ? given : <ArgumentsForm {...{ draft, setDraft, isInvalid }} />}
      <div className="ck-card-actions">
        <button type="button" className="ck-button ck-primary" disabled={isInvalid} onClick={() => decide(true)}>
          {texts.approve}
        </button>
        <button type="button" className="ck-button" onClick={() => decide(false)}>
          {texts.reject}
        </button>
        {card.editable && draft === undefined ? (
          <button
            type="button"
            className="ck-button ck-quiet"
            onClick={() => setDraft(formatValue(card.arguments ?? card.action.params))}
          >
            {texts.editArguments}
          </button>
        ) : null}
      </div>
    </>
  )
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
