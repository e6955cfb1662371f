import type { BlockProps, MessageBlock, SubAgentBlock, ToolBlock } from '@parley/chatkit'
import { Block, Disclosure, joinClasses, ToolState } from '@parley/chatkit'
import type { ComponentType } from 'react'
import { toolCallInfo } from '../messages/turn-messages.ts'
import type { ToolCallProps, ToolRendererProps } from './chat-view-props.ts'
import { PlainBlock, ValueBlock } from './plain-block.tsx'
import { useAnswerProps, useToolCall } from './use-turn.ts'
import { useView } from './view-context.ts'

/** A tool call: drawn by the page's renderer for that tool, else by its `ToolCall`, else by the view. */
export function CallBlock(props: BlockProps) {
  const { classNames, components, renderers } = useView()
  const call = useToolCall(props.message.messageID, props.block.key ?? '')
  if (!call) return <OwnCall {...props} />
  const toolCall = toolCallInfo(call)
  const Renderer = Object.hasOwn(renderers, toolCall.name) ? renderers[toolCall.name] : undefined
  return (
    <div className={joinClasses('ak-call', classNames.toolCall)} data-tool={toolCall.name}>
      <CallContent Renderer={Renderer} ToolCall={components.ToolCall} toolCall={toolCall} block={props} />
    </div>
  )
}

type CallContentProps = ToolRendererProps & {
  Renderer: ComponentType<ToolRendererProps> | undefined
  ToolCall: ComponentType<ToolCallProps> | undefined
  block: BlockProps
}

function CallContent({ Renderer, ToolCall, toolCall, block }: CallContentProps) {
  if (Renderer) return <Renderer toolCall={toolCall} />
  if (!ToolCall) return <OwnCall {...block} />
  return <ReplacedCall ToolCall={ToolCall} toolCall={toolCall} block={block} />
}

function ReplacedCall({
  ToolCall,
  toolCall,
  block,
}: ToolRendererProps & { ToolCall: ComponentType<ToolCallProps>; block: BlockProps }) {
  return (
    <ToolCall toolCall={toolCall} {...useAnswerProps()}>
      <OwnCall {...block} />
    </ToolCall>
  )
}

function OwnCall(props: BlockProps) {
  if (props.block.type === 'Tool') return <ToolRow {...(props as BlockProps<ToolBlock>)} />
  if (props.block.type === 'SubAgent') return <SubAgentPanel {...(props as BlockProps<SubAgentBlock>)} />
  return <PlainBlock {...props} />
}

function ToolRow({ block, message }: BlockProps<ToolBlock>) {
  const { texts } = useView()
  const { title, name, input, output, status = 'done' } = block.content
  return (
    <Disclosure icon="tool" className="ak-tool" title={title || name} aside={<ToolState status={status} />}>
      {input === undefined ? null : <ValueBlock title={texts.arguments} value={input} message={message} />}
      {output === undefined ? (
        <p className="ck-muted">{texts.noResult}</p>
      ) : (
        <ValueBlock title={texts.result} value={output} message={message} />
      )}
    </Disclosure>
  )
}

/** The sub-agent's turns, below the call that started it; open by itself while it asks something. */
function SubAgentPanel({ block }: BlockProps<SubAgentBlock>) {
  const { texts } = useView()
  const { title, status, messages } = block.content
  return (
    <Disclosure
      icon="agent"
      className="ak-sub-agent"
      title={title || texts.subAgent}
      aside={<ToolState status={status} />}
      isOpen={status === 'awaiting_answer'}
    >
      {messages.map((message) => (
        <Blocks key={message.messageID} message={message} />
      ))}
    </Disclosure>
  )
}

/** The blocks of a message, one below the other. */
export function Blocks({ message }: Pick<BlockProps, 'message'>) {
  const isStreaming = message.status === 'streaming' || message.status === 'waiting'
  const last: MessageBlock | undefined = message.content.at(-1)
  return message.content.map((block, index) => (
    <Block key={block.key ?? index} block={block} message={message} isStreaming={isStreaming && block === last} />
  ))
}
