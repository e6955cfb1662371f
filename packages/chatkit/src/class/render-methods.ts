import { Component } from 'react'
import { BlockType } from '../model/block-type.ts'
import type { KeyedBlock } from '../model/chat-op.ts'
import type { Plot } from '../model/display-blocks.ts'
import type { ToolCall } from '../model/tool-block.ts'
import type { WebSearchQuery } from '../model/web-search.ts'
import { runsOf } from './class-runs.ts'
import type { BlockOptions } from './render-recorder.ts'

type ToolUse = Pick<ToolCall, 'title' | 'input' | 'output'>

/** What a subclass calls to show something of the run under way. Without one these do nothing. */
export abstract class RenderMethods<P> extends Component<P> {
  /** Shows the complete text of the open segment as Markdown. */
  protected appendTextBlock(text: string, options?: BlockOptions): void {
    runsOf(this).recorder()?.text(text, options)
  }
  protected appendWebSearchBlock(query: WebSearchQuery, options?: BlockOptions): void {
    runsOf(this).recorder()?.webSearch(query, options)
  }
  protected appendReasoningBlock(text: string, options?: BlockOptions): void {
    runsOf(this).recorder()?.reasoning(text, options)
  }
  protected appendToolBlock(call: ToolCall, options?: BlockOptions): void {
    runsOf(this).recorder()?.tool(call, options)
  }
  /** Any block; `key` is required. */
  protected appendBlock(block: KeyedBlock): void {
    runsOf(this).recorder()?.block(block)
  }
  /** The platform named the conversation in the stream. */
  protected adoptConversationID(id: string): void {
    runsOf(this).recorder()?.emit({ op: 'conversation', id })
  }
  protected adoptMessageID(id: string): void {
    runsOf(this).recorder()?.emit({ op: 'message', id })
  }

  // As the published kit has them: four parameters, and an id that is not needed.

  protected appendMarkdownBlock(_messageID: string, text: string): void {
    runsOf(this).recorder()?.markdown(text)
  }
  // oxlint-disable-next-line max-params -- published
  protected appendDefaultToolBlock(_messageID: string, toolName: string, use: ToolUse, consumeTime?: number): void {
    const { title, input, output } = use
    const call = { name: toolName, title, input, output, status: output === undefined ? 'pending' : 'done' } as const
    runsOf(this)
      .recorder()
      ?.tool(call, consumeTime === undefined ? {} : { consumeTime })
  }
  // oxlint-disable-next-line max-params -- published
  protected updateDefaultToolBlockResult(id: string, toolName: string, result: ToolUse, consumeTime?: number): void {
    this.appendDefaultToolBlock(id, toolName, result, consumeTime)
  }
  // oxlint-disable-next-line max-params -- published
  protected appendExecuteCodeBlock(messageID: string, input: unknown, output?: unknown, consumeTime?: number): void {
    this.appendDefaultToolBlock(messageID, 'execute_code', { title: 'execute_code', input, output }, consumeTime)
  }
  // oxlint-disable-next-line max-params -- published
  protected appendText2SqlBlock(messageID: string, input: unknown, output?: unknown, consumeTime?: number): void {
    this.appendDefaultToolBlock(messageID, 'text2sql', { title: 'text2sql', input, output }, consumeTime)
  }
  // oxlint-disable-next-line max-params -- published
  protected appendText2MetricBlock(messageID: string, input: unknown, output?: unknown, consumeTime?: number): void {
    this.appendDefaultToolBlock(messageID, 'text2metric', { title: 'text2metric', input, output }, consumeTime)
  }
  protected appendJson2PlotBlock(_messageID: string, plot: Plot, order = 0): void {
    this.appendBlock({ type: BlockType.Json2Plot, content: plot, key: `plot:${order}` })
  }
  protected updateJson2PlotBlock(messageID: string, plot: Plot, order = 0): void {
    this.appendJson2PlotBlock(messageID, plot, order)
  }
  protected appendWebProcessorBlock(_messageID: string, page: { url: string; title?: string }): void {
    this.appendBlock({ type: BlockType.WebProcessor, content: page, key: `page:${page.url}` })
  }
  protected updateWebProcessorBlock(messageID: string, page: { url: string; title?: string }): void {
    this.appendWebProcessorBlock(messageID, page)
  }
}
