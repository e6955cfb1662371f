import type { Block as ContentBlock, ChatMessage } from '../../model/chat-message.ts'
import type { ToolBlock } from '../../model/tool-block.ts'
import { Block } from '../blocks/block.tsx'
import { BodyContext } from './body-context.ts'
import { Disclosure } from '../controls/disclosure.tsx'
import { useTexts } from '../kit/kit-context.ts'

type Group = { key: string; blocks: readonly ContentBlock[]; isFolded: boolean }

/** The blocks of a message, in order; finished tools that follow each other fold into one row. */
export function MessageBody({ message }: { message: ChatMessage }) {
  const texts = useTexts()
  const isStreaming = message.status === 'streaming' || message.status === 'waiting'
  const last = message.content.at(-1)
  const draw = (block: ContentBlock, i: number) => (
    <Block key={block.key ?? i} block={block} message={message} isStreaming={isStreaming && block === last} />
  )
  return (
    <BodyContext.Provider value={MessageBody}>
      {groupsOf(message.content, isStreaming).map(({ key, blocks, isFolded }) =>
        isFolded ? (
          <Disclosure key={key} icon="tool" className="ck-steps" title={texts.steps(blocks.length)}>
            {blocks.map(draw)}
          </Disclosure>
        ) : (
          blocks.map(draw)
        ),
      )}
    </BodyContext.Provider>
  )
}

function groupsOf(content: readonly ContentBlock[], isStreaming: boolean): Group[] {
  const groups: { key: string; blocks: ContentBlock[]; isSteps: boolean }[] = []
  for (const [i, block] of content.entries()) {
    const isSteps = isFinishedTool(block)
    const group = groups.at(-1)
    if (group?.isSteps && isSteps) group.blocks.push(block)
    else groups.push({ key: block.key ?? String(i), blocks: [block], isSteps })
  }
  // The steps under way stay visible until something follows them.
  return groups.map(({ key, blocks, isSteps }, i) => ({
    key,
    blocks,
    isFolded: isSteps && blocks.length > 1 && !(isStreaming && i === groups.length - 1),
  }))
}

const isFinishedTool = (block: ContentBlock): boolean =>
  block.type === 'Tool' && ((block as ToolBlock).content.status ?? 'done') === 'done'
