import { useLoaded } from '../../markdown/use-loaded.ts'
import type { WebSearchBlock } from '../../model/content-block.ts'
import type { SourcesBlock } from '../../model/display-blocks.ts'
import { Disclosure } from '../controls/disclosure.tsx'
import { useTexts, type BlockProps } from '../kit/kit-context.ts'
import { sourceID } from './citations.tsx'
import { loadViews } from './load-views.ts'
import type { ResultListProps } from './result-list.tsx'

export function WebSearchBlockView({ block, isStreaming }: BlockProps<WebSearchBlock>) {
  const texts = useTexts()
  const { input, results } = block.content
  const isRunning = isStreaming && results.length === 0
  const title = (
    <>
      {isRunning ? texts.searching : texts.searched} <q className="ck-query">{input}</q>
    </>
  )
  return (
    <Disclosure
      icon="search"
      className="ck-search"
      title={title}
      aside={isRunning ? null : texts.results(results.length)}
    >
      <Results results={results} />
    </Disclosure>
  )
}

export function SourcesBlockView({ block, message }: BlockProps<SourcesBlock>) {
  const texts = useTexts()
  return (
    <Disclosure
      icon="page"
      className="ck-sources"
      title={texts.sources}
      aside={texts.results(block.content.length)}
      isOpen
    >
      <Results results={block.content} idOf={(position) => sourceID(message, position)} />
    </Disclosure>
  )
}

/** Few answers have any: what draws them comes with the first. */
function Results(props: ResultListProps) {
  const views = useLoaded(loadViews)
  return views ? <views.ResultList {...props} /> : null
}
