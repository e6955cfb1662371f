import type { SubAgentBlock } from '../../model/chat-message.ts'
import type { ToolBlock, ToolStatus } from '../../model/tool-block.ts'
import { BlockRegistry, openRegisteredTool } from './block-registry.ts'
import { Disclosure } from '../controls/disclosure.tsx'
import { formatDuration } from '../texts/format.ts'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit, useTexts, type BlockProps } from '../kit/kit-context.ts'
import { LazyToolDetails } from '../kit/lazy-views.tsx'
import { SubMessages } from '../messages/sub-messages.tsx'
import { argumentLine } from './argument-line.ts'

/** One row: what is done, with what, and how long it took. Opens what went in and came out; by itself where it failed. */
export function ToolBlockView(props: BlockProps<ToolBlock>) {
  const { texts, locale, classNames } = useKit().options
  const { content: call, consumeTime } = props.block
  const registered = BlockRegistry.getTool(call.name)
  if (registered?.render) return <registered.render {...props} />
  const status = call.status ?? 'done'
  const time = formatDuration(call.durationMs ?? consumeTime ?? 0, locale)
  const line = argumentLine(call.input, texts)
  const title = (
    <>
      {registered?.Icon ? <registered.Icon /> : null}
      <span className="ck-step-name">{call.title || call.name}</span>{' '}
      {line ? <code className="ck-step-argument">{line}</code> : null}
    </>
  )
  const aside = (
    <>
      {status === 'done' ? null : <ToolState status={status} />}
      {time ? ` ${texts.seconds(time)}` : null}
    </>
  )
  const className = joinClasses('ck-tool', classNames.tool)
  const open = () => void openRegisteredTool(props.block)
  if (registered?.onClick)
    return (
      <div className={joinClasses('ck-disclosure', className)} data-status={status}>
        <button type="button" className="ck-row-button" aria-haspopup="dialog" onClick={open}>
          <span className="ck-row-title">{title}</span>
          <span className="ck-row-aside">{aside}</span>
        </button>
      </div>
    )
  return (
    <Disclosure icon="tool" isOpen={status === 'error'} onOpen={open} {...{ className, status, title, aside }}>
      <LazyToolDetails call={call} />
    </Disclosure>
  )
}

/** How far a call has come, in a word. */
export function ToolState({ status }: { status: ToolStatus }) {
  return (
    <span className="ck-state" data-status={status}>
      {useTexts().toolStatus[status]}
    </span>
  )
}

/** One row; the sub-agent's turns, with a rail of their own, are inside. Open by itself while it asks something. */
export function SubAgentBlockView({ block }: BlockProps<SubAgentBlock>) {
  const texts = useTexts()
  const { title, status, messages } = block.content
  return (
    <Disclosure
      icon="agent"
      className="ck-sub-agent"
      status={status}
      title={
        <>
          <span className="ck-step-name">{texts.subAgent}</span>{' '}
          {title ? <span className="ck-step-note">{title}</span> : null}
        </>
      }
      aside={status === 'done' ? null : <ToolState status={status} />}
      isOpen={status === 'awaiting_answer'}
    >
      <SubMessages messages={messages} />
    </Disclosure>
  )
}
