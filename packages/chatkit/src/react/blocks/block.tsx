import { Component, memo, type ComponentType, type ReactNode } from 'react'
import { isKnownBlock, type KnownBlock } from '../../model/chat-message.ts'
import { ConfirmationBlockView, QuestionBlockView } from './asking-blocks.tsx'
import { ChartBlockView, Json2PlotBlockView } from './chart-blocks.tsx'
import { FileBlockView } from './file-block.tsx'
import { PlanBlockView, TasksBlockView } from './plan-blocks.tsx'
import { SourcesBlockView, WebSearchBlockView } from './search-blocks.tsx'
import {
  CodeBlockView,
  MarkdownBlockView,
  NoticeBlockView,
  ReasoningBlockView,
  TextBlockView,
  UnsupportedBlockView,
} from './text-blocks.tsx'
import { SubAgentBlockView, ToolBlockView } from './tool-blocks.tsx'
import { UiCardBlockView, WebProcessorBlockView } from './card-blocks.tsx'
import { useKit, useTexts, type BlockProps } from '../kit/kit-context.ts'

/** A component for every block type; a new type does not compile without one. */
const VIEWS: { [T in KnownBlock['type']]: ComponentType<BlockProps<Extract<KnownBlock, { type: T }>>> } = {
  Text: TextBlockView,
  Markdown: MarkdownBlockView,
  WebSearch: WebSearchBlockView,
  Tool: ToolBlockView,
  Reasoning: ReasoningBlockView,
  Json2Plot: Json2PlotBlockView,
  Chart: ChartBlockView,
  Code: CodeBlockView,
  WebProcessor: WebProcessorBlockView,
  UiCard: UiCardBlockView,
  Question: QuestionBlockView,
  Confirmation: ConfirmationBlockView,
  SubAgent: SubAgentBlockView,
  Plan: PlanBlockView,
  Tasks: TasksBlockView,
  Sources: SourcesBlockView,
  File: FileBlockView,
  Notice: NoticeBlockView,
}

/** One block, drawn by the host's component for its type, else by the kit's. Drawn again only when it changed. */
export const Block = memo(
  function Block(props: BlockProps) {
    const { blocks, classNames } = useKit().options
    const own = blocks[props.block.type]
    const known = isKnownBlock(props.block)
      ? (VIEWS[props.block.type] as ComponentType<BlockProps>)
      : UnsupportedBlockView
    const View = own ?? known
    return (
      <BlockBoundary key={props.block.key} fallback={<BrokenBlock />}>
        {classNames.block === undefined ? (
          <View {...props} />
        ) : (
          <div className={classNames.block}>
            <View {...props} />
          </div>
        )}
      </BlockBoundary>
    )
  },
  // The message is another object in every frame of an answer; its finished blocks are not.
  (before, after) => before.block === after.block && before.isStreaming === after.isStreaming,
)

function BrokenBlock() {
  return <p className="ck-notice">{useTexts().blockFailed}</p>
}

/** Content that a component cannot draw costs that block, not the conversation. */
class BlockBoundary extends Component<{ fallback: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }
  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }
  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}
