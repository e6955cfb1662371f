import { useEffect, useState } from 'react'
import { isChatKitError, type Decided } from '../../model/chat-kit-error.ts'
import type { ConfirmationBlock, ConfirmationCard } from '../../model/agent-blocks.ts'
import { ArgumentsForm } from './arguments-form.tsx'
import { argumentsOf, callTitle, ConfirmationCall } from './confirmation-call.tsx'
import { formatClock, formatValue } from '../texts/format.ts'
import { Icon } from '../controls/icon.tsx'
import { useKit, type BlockProps } from '../kit/kit-context.ts'
import { useConsentTexts } from '../texts/consent-texts.ts'

type ConsentWords = ReturnType<typeof useConsentTexts>

/** A risky action that runs only with consent: all of what would happen, and why it asks. Nothing here answers by itself. */
export function ConfirmationView({ block }: BlockProps<ConfirmationBlock>) {
  const { isReadOnly } = useKit()
  const texts = useConsentTexts()
  const card = block.content
  // Here, not in the card's lower part: a decision that is refused brings that back as it was.
  const [draft, setDraft] = useState<string>()
  const [faster, setFaster] = useState<Decided>()
  const isWaiting = card.state === 'waiting' && !faster
  const isAsked = isWaiting && !card.isForOthers && !isReadOnly
  const title = callTitle(card, texts)
  const waiting = card.isForOthers ? texts.othersDecide : texts.toolStatus.awaiting_answer
  const state = isAsked ? '' : isWaiting ? waiting : outcomeOf(card, faster, texts)
  return (
    <div
      role="group"
      className="ck-card ck-confirmation"
      data-asks={isAsked || undefined}
      data-risk={isWaiting ? card.risk : undefined}
      aria-label={state ? `${title}: ${state}` : title}
    >
      <p className="ck-card-head">
        <Icon name="shield" />
        <span className="ck-card-title">{title}</span>
        <span className="ck-risk">{isWaiting ? texts.risk[card.risk] : state}</span>
      </p>
      {isAsked && draft !== undefined ? (
        <ArgumentsForm draft={draft} setDraft={setDraft} isInvalid={!parseObject(draft)} />
      ) : (
        <ConfirmationCall card={card} />
      )}
      {card.message && !card.title && card.message !== title ? <p dir="auto">{card.message}</p> : null}
      {isWaiting && !isAsked ? <p className="ck-muted">{state}</p> : null}
      {isAsked ? <Facts card={card} /> : null}
      {isWaiting ? null : <Outcome card={card} faster={faster} />}
      {isAsked ? <Decision {...{ card, draft, setDraft, setFaster }} /> : null}
    </div>
  )
}

/** Why it asks, and what comes of either answer, and of none. */
function Facts({ card }: { card: ConfirmationCard }) {
  const texts = useConsentTexts()
  const rows = [
    [texts.whyAsked, reasonOf(card, texts)],
    [texts.ifApproved, <strong>{texts.exactlyThis}</strong>],
    [texts.ifNobody, card.expiresAt ? <TimeLeft until={Date.parse(card.expiresAt)} /> : texts.staysOpen],
  ] as const
  return (
    <dl className="ck-facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function reasonOf({ reason }: ConfirmationCard, texts: ConsentWords): string {
  if (typeof reason === 'string') return reason
  return reason ? texts.reasons[reason.by](String(reason.number ?? reason.host ?? '')) : texts.consentNeeded
}

/** From here on it counts seconds. */
const SOON_MS = 120_000

function TimeLeft({ until }: { until: number }) {
  const { locale } = useKit().options
  const texts = useConsentTexts()
  const [now, setNow] = useState(Date.now)
  const left = until - now
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setNow(Date.now()), left < SOON_MS ? 1000 : 15_000)
    return () => clearTimeout(timer)
  })
  const words =
    left <= 0
      ? ''
      : left < SOON_MS
        ? texts.seconds(String(Math.ceil(left / 1000)))
        : texts.minutes(Math.floor(left / 60_000))
  return texts.neverRuns(formatClock(until, locale), words)
}

function outcomeOf({ state, approved }: ConfirmationCard, faster: Decided | undefined, texts: ConsentWords): string {
  const outcome = faster?.outcome ?? (state === 'cancelled' ? 'withdrawn' : approved ? 'approved' : 'rejected')
  return outcome === 'expired' ? texts.withdrawn : texts[outcome]
}

type OutcomeProps = { card: ConfirmationCard; faster: Decided | undefined }

/** Who decided, and when, where that is known. */
function Outcome({ card, faster }: OutcomeProps) {
  const { locale } = useKit().options
  const texts = useConsentTexts()
  const outcome = faster?.outcome ?? (card.approved ? 'approved' : 'rejected')
  const [by, at] = faster ? [faster.by, faster.at] : [card.decidedBy, card.decidedAt]
  if (outcome === 'expired') return <p className="ck-muted">{texts.decided.expired}</p>
  if (outcome === 'withdrawn' || !by || !at) return null
  return <p className="ck-muted">{texts.decided[outcome](by, formatClock(Date.parse(at), locale))}</p>
}

type DecisionProps = {
  card: ConfirmationCard
  draft: string | undefined
  setDraft: (draft: string) => void
  setFaster: (decision: Decided) => void
}

function Decision({ card, draft, setDraft, setFaster }: DecisionProps) {
  const { store } = useKit()
  const texts = useConsentTexts()
  const edited = draft === undefined ? undefined : parseObject(draft)
  const isInvalid = draft !== undefined && edited === undefined
  const { isSending = false } = card
  const decide = (approved: boolean) => {
    const change = approved && edited && { editedArguments: edited }
    store.answerConfirmation({ confirmationId: card.confirmationId, approved, ...change }).catch((error: unknown) => {
      // Any other failure is shown in the list.
      if (isChatKitError(error) && error.decision) setFaster(error.decision)
    })
  }
  return (
    <div className="ck-card-actions">
      <button
        type="button"
        className="ck-button ck-primary"
        disabled={isInvalid || isSending}
        onClick={() => decide(true)}
      >
        {texts.approve}
      </button>
      <button type="button" className="ck-button" disabled={isSending} onClick={() => decide(false)}>
        {texts.reject}
      </button>
      {card.editable && draft === undefined && !isSending ? (
        <button type="button" className="ck-button ck-quiet" onClick={() => setDraft(formatValue(argumentsOf(card)))}>
          {texts.editArguments}
        </button>
      ) : null}
      <span role="status" className="ck-muted">
        {isSending ? texts.sending : null}
      </span>
    </div>
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
