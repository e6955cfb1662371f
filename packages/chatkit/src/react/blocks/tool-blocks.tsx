import type { SubAgentBlock } from '../../model/chat-message.ts'
import type { ToolBlock, ToolCall, ToolStatus } from '../../model/tool-block.ts'
import { BlockRegistry, openRegisteredTool } from './block-registry.ts'
import { Disclosure } from '../controls/disclosure.tsx'
import { useDrawer } from '../frame/drawer.tsx'
import { formatSeconds, formatValue } from '../texts/format.ts'
import { Icon } from '../controls/icon.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit, useTexts, type BlockProps } from '../kit/kit-context.ts'
import { CodeBlock } from '../../markdown/code-block.tsx'
import { SubMessages } from '../messages/sub-messages.tsx'

/** Less than this is no time. */
const SHOWN_FROM_MS = 10

/** One row: icon, title, state, duration. Opens what went in and came out. */
export function ToolBlockView(props: BlockProps<ToolBlock>) {
  const { texts, locale, classNames } = useKit().options
  const { openDrawer } = useDrawer()
  const { content: call, consumeTime } = props.block
  const registered = BlockRegistry.getTool(call.name)
  if (registered?.render) return <registered.render {...props} />
  const status = call.status ?? 'done'
  const duration = call.durationMs ?? consumeTime ?? 0
  const open = () => {
    if (!openRegisteredTool(props.block))
      openDrawer({ title: call.title || call.name, content: <ToolDetails call={call} /> })
  }
  return (
    <button
      type="button"
      className={joinClasses('ck-row-button ck-tool', classNames.tool)}
      data-status={status}
      aria-haspopup="dialog"
      onClick={open}
    >
      {registered?.Icon ? <registered.Icon /> : <Icon name="tool" />}
      <span className="ck-row-title">{call.title || call.name}</span>
      <span className="ck-row-aside">
        <ToolState status={status} />
        {duration < SHOWN_FROM_MS ? null : ` ${texts.seconds(formatSeconds(duration, locale))}`}
      </span>
    </button>
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

export function ToolDetails({ call }: { call: ToolCall }) {
  const texts = useTexts()
  const isText = (value: unknown) => typeof value === 'string'
  return (
    <>
      {call.error ? (
        <p className="ck-error" role="note">
          <Icon name="warning" />
          {call.error}
        </p>
      ) : null}
      {call.input === undefined ? null : (
        <CodeBlock code={formatValue(call.input)} title={texts.input} language={isText(call.input) ? '' : 'json'} />
      )}
      {call.output === undefined ? (
        <p className="ck-muted">{texts.noOutput}</p>
      ) : (
        <CodeBlock code={formatValue(call.output)} title={texts.output} language={isText(call.output) ? '' : 'json'} />
      )}
    </>
  )
}

/** The sub-agent's turns, below the call that started it. */
export function SubAgentBlockView({ block }: BlockProps<SubAgentBlock>) {
  const texts = useTexts()
  const { title, status, messages } = block.content
  return (
    <Disclosure
      icon="agent"
      className="ck-sub-agent"
      title={title || texts.subAgent}
      aside={<ToolState status={status} />}
      isOpen={status === 'awaiting_answer'}
    >
      <SubMessages messages={messages} />
    </Disclosure>
  )
}
