import type { TurnProjection } from '@parley/protocol'
import { BlockType } from '../../model/block-type.ts'
import type { Source, SourcesBlock } from '../../model/display-blocks.ts'

/** What an answer cites, below it. What was only found for the question is no source of it. */
export function sourceBlocks({ role, citations }: TurnProjection): SourcesBlock[] {
  if (role !== 'assistant' || !citations?.length) return []
  const content = citations.map(({ ref, title, category, headings, excerpt, score }): Source => {
    const name = title ?? category
    return {
      title: name,
      content: excerpt,
      media: category,
      link: '',
      icon: '',
      position: ref,
      score,
      // A document's first heading is its title, mostly.
      headings: headings.filter((heading) => heading !== name),
      id: String(ref),
    }
  })
  return [{ type: BlockType.Sources, key: 'sources', content }]
}
