import type { InboxConfirmation, InboxItem } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { isUnderWay, resultQuery } from '../../data/inbox.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { DecideBar } from './decide-bar.tsx'
import { Body, Section } from './detail-section.tsx'
import { kindOf, shownChange, titleOf } from './describe-item.ts'
import { DiffView } from './diff-view.tsx'
import { Quote } from './quote.tsx'
import { QuestionForm } from './question-form.tsx'
import { Command, hasHidden, Json, ShownText, textOf, Values } from './shown-text.tsx'
import { ToolChange } from './tool-change.tsx'
import { useDecider } from './use-decider.ts'
import { useNow } from './use-now.ts'
import { type ApprovalWords, approvalWords } from './words.ts'

/** One thing that waits, with everything that is needed to decide; or what became of it. */
export function Detail({ item, onDecided }: { item: InboxItem; onDecided: () => void }) {
  if (item.kind === 'question')
    return <QuestionForm item={item} onAnswered={onDecided} heading={<Heading item={item} />} />
  if (item.kind === 'tool') return <ToolChange item={item} onDecided={onDecided} heading={<Heading item={item} />} />
  return <ConfirmationDetail item={item} onDecided={onDecided} />
}

function ConfirmationDetail({ item, onDecided }: { item: InboxConfirmation; onDecided: () => void }) {
  const words = useWords(approvalWords)
  const now = useNow(1_000)
  const isOpen = item.status === 'pending' && Date.parse(item.expires_at) > now
  const [isRead, end] = useSeen()
  return (
    <>
      <Body>
        <Heading item={item} />
        {isOpen ? null : <Outcome item={item} />}
        <Arguments item={item} isOpen={isOpen} />
        <div ref={end} aria-hidden="true" className="-mt-6 h-px" />
        {item.asked_after ? <Quote text={item.asked_after} /> : null}
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-13 max-md:grid-cols-1 max-md:gap-y-0">
          <dt className="text-muted">{words.whyAsked}</dt>
          <dd className="max-md:mb-2">{reasonOf(item, words)}</dd>
          {isOpen ? (
            <>
              <dt className="text-muted">{words.afterwards}</dt>
              <dd>{{ command: words.thenCommand, file: words.thenFile, values: words.thenCall }[kindOf(item)]}</dd>
            </>
          ) : null}
        </dl>
      </Body>
      {isOpen ? <DecideBar item={item} isRead={isRead} onDecided={onDecided} /> : null}
    </>
  )
}

export function Heading({ item }: { item: InboxItem }) {
  const words = useWords(approvalWords)
  const format = useFormat()
  const now = useNow(15_000)
  const left = item.kind === 'confirmation' && item.status === 'pending' ? Date.parse(item.expires_at) - now : 0
  const facts =
    item.kind === 'tool'
      ? [words.server(item.server)]
      : [
          item.intent,
          item.kind === 'confirmation' ? item.subject : null,
          item.created_at ? words.asked(format.ago(item.created_at)) : null,
          left > 0 ? words.openFor(format.left(left)) : null,
        ].filter(Boolean)
  const risks = {
    low: 'bg-hover text-muted',
    medium: 'bg-warning-soft text-warning',
    high: 'border border-danger text-danger',
  }
  return (
    <header className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-20 font-semibold [overflow-wrap:anywhere]">
          <ShownText text={titleOf(item, words)} />
        </h2>
        {item.kind === 'confirmation' ? (
          <span className={`rounded-full px-2 py-0.5 text-12 ${risks[item.risk]}`}>{words.risks[item.risk]}</span>
        ) : null}
      </div>
      <p className="text-13 text-muted [overflow-wrap:anywhere]">{facts.join(' · ')}</p>
    </header>
  )
}

/** Every byte that will run. */
function Arguments({ item, isOpen }: { item: InboxConfirmation; isOpen: boolean }) {
  const words = useWords(approvalWords)
  const { arguments: given, change } = item
  const shown = shownChange(item)
  const kind = kindOf(item)
  const { command, ...others } = given
  const titles = { command: words.whatRuns, file: words.whatChanges, values: words.whatIsSent }
  return (
    <Section title={isOpen ? titles[kind] : words.whatWasAsked}>
      {isHiding(given) ? <p className="text-13 text-danger">{words.hasHidden}</p> : null}
      {change?.problem ? <p className="text-13">{words.problems[change.problem]}</p> : null}
      {kind === 'command' ? (
        <>
          <Command text={String(command)} />
          {Object.keys(others).length > 0 ? <Values values={others} /> : null}
        </>
      ) : kind === 'file' && shown ? (
        <DiffView name={shown.path} before={shown.before} after={shown.after} line={shown.line} />
      ) : Object.keys(given).length === 0 ? (
        <p className="text-13">{words.noArguments}</p>
      ) : (
        <Values values={given} />
      )}
      {Object.keys(given).length > 0 ? <Json value={given} label={words.allArguments} /> : null}
    </Section>
  )
}

/** In any text of it, names included. */
function isHiding(value: unknown): boolean {
  if (typeof value === 'string') return hasHidden(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => hasHidden(name) || isHiding(inner))
}

function reasonOf({ reason }: InboxConfirmation, words: ApprovalWords): string {
  if (!reason) return words.unknownReason
  const { by, number, rule, host } = reason
  if (by === 'risk') return words.riskReason
  if (by === 'tool') return words.toolReason
  if (by === 'host' || !rule || number === null) return words.hostReason(host ?? '')
  const list = Object.entries(rule.arguments ?? {}).map(([name, pattern]) => `${name} ${pattern}`)
  const about = list.length === 0 ? words.anyCall(rule.tool) : words.withArguments(rule.tool, list.join(', '))
  return by === 'rule' ? words.ruleReason(number, about) : words.agentRule(number, about)
}

/** What became of it: who, when, why, and what it came to. */
function Outcome({ item }: { item: InboxConfirmation }) {
  const words = useWords(approvalWords)
  const { who, when, absolute } = useDecider(item)
  const status = item.status === 'pending' ? 'expired' : item.status
  return (
    <div className="flex flex-col gap-4">
      <p role="status" title={absolute} className="rounded-card bg-raised px-4 py-3 text-14 font-medium">
        {words.outcomes[status](who, when)}
      </p>
      {item.decision_reason ? (
        <Section title={words.because}>
          <p className="text-14 [overflow-wrap:anywhere] whitespace-pre-wrap">{item.decision_reason}</p>
        </Section>
      ) : null}
      {item.edited_arguments ? (
        <Section title={words.ranInstead}>
          <Values values={item.edited_arguments} />
        </Section>
      ) : null}
      {status === 'approved' ? <Result item={item} /> : null}
    </div>
  )
}

function Result({ item }: { item: InboxConfirmation }) {
  const words = useWords(approvalWords)
  const { data } = useQuery(resultQuery(item))
  if (!data) return null
  const text = isUnderWay(data.status) ? '' : textOf(data.result ?? '')
  return (
    <Section title={words.result}>
      {text ? (
        <pre
          dir="ltr"
          className="max-h-96 overflow-auto rounded-card border border-line bg-raised p-4 font-mono text-12 [overflow-wrap:anywhere] whitespace-pre-wrap"
        >
          <ShownText text={text} />
        </pre>
      ) : (
        <p role="status" className="text-13 text-muted">
          {isUnderWay(data.status) ? words.running : words.noResult}
        </p>
      )}
    </Section>
  )
}

/** Whether an element has been on screen. */
function useSeen(): [boolean, React.RefObject<HTMLDivElement | null>] {
  const element = useRef<HTMLDivElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && setSeen(true))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [isSeen, element]
}
