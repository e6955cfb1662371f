import { Fragment } from 'react'
import type { ChatMessage } from '../../model/chat-message.ts'
import { Block } from '../blocks/block.tsx'
import { BodyContext } from './body-context.ts'
import { Disclosure } from '../controls/disclosure.tsx'
import { durationOf, isFinished, isStep, isStreaming, type Joined, type Part } from './join-steps.ts'
import { useKit } from '../kit/kit-context.ts'
import { formatDuration } from '../texts/format.ts'

/** So many steps that are done are one row. */
const FOLDED_FROM = 3

/** The blocks of a message, in order; steps that follow each other stand on a rail. */
export function MessageBody({ message, joined }: { message: ChatMessage; joined?: Joined | undefined }) {
  const own = message.content.slice(joined?.skipped).map((block): Part => ({ block, message }))
  return (
    <BodyContext.Provider value={MessageBody}>
      {runsOf([...own, ...(joined?.parts ?? [])], ({ block }) => isStep(block)).map((parts) =>
        isStep(parts[0]!.block) ? (
          <div key={keyOf(parts)} className="ck-rail">
            {runsOf(parts, isFinished).map((run) => (
              <Steps key={keyOf(run)} parts={run} />
            ))}
          </div>
        ) : (
          <Blocks key={keyOf(parts)} parts={parts} />
        ),
      )}
    </BodyContext.Provider>
  )
}

/** What is done is one row, once it is much; what is under way, failed or waits stays in sight. */
function Steps({ parts }: { parts: readonly Part[] }) {
  const { texts, locale } = useKit().options
  const count = parts.filter(({ block }) => block.type !== 'Reasoning').length
  if (count < FOLDED_FROM || !isFinished(parts[0]!)) return <Blocks parts={parts} />
  const duration = parts.reduce((sum, part) => sum + durationOf(part), 0)
  const time = formatDuration(duration, locale)
  return (
    <Disclosure
      icon="tool"
      className="ck-steps"
      title={[texts.steps(count), time && texts.seconds(time)].filter(Boolean).join(' · ')}
    >
      <div className="ck-rail">
        <Blocks parts={parts} />
      </div>
    </Disclosure>
  )
}

function Blocks({ parts }: { parts: readonly Part[] }) {
  return parts.map((part, i) => (
    <Fragment key={part.block.key ?? i}>
      <Block block={part.block} message={part.message} isStreaming={isStreaming(part)} />
    </Fragment>
  ))
}

/** Neighbours that are alike, together. */
function runsOf(parts: readonly Part[], isAlike: (part: Part) => boolean): Part[][] {
  const runs: Part[][] = []
  for (const part of parts) {
    const run = runs.at(-1)
    if (run && isAlike(run[0]!) === isAlike(part)) run.push(part)
    else runs.push([part])
  }
  return runs
}

/** By its first: a run that grows stays the same. */
const keyOf = ([first]: readonly Part[]): string =>
  `${first!.message.messageID}/${first!.block.key ?? first!.message.content.indexOf(first!.block)}`
