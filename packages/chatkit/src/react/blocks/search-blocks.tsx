import { destinationOf, mayLoadImage, safeHref } from '../../markdown/safe-url.ts'
import type { WebSearchBlock } from '../../model/content-block.ts'
import type { SourcesBlock } from '../../model/display-blocks.ts'
import type { WebSearchResult } from '../../model/web-search.ts'
import { Disclosure } from '../controls/disclosure.tsx'
import { Icon } from '../controls/icon.tsx'
import { useKit, useTexts, type BlockProps } from '../kit/kit-context.ts'
import { sourceID } from './citations.tsx'

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
      <ResultList results={results} />
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
      <ResultList results={block.content} idOf={(position) => sourceID(message, position)} />
    </Disclosure>
  )
}

type ResultListProps = {
  results: readonly (WebSearchResult & { position?: number })[]
  idOf?: (position: number) => string
}

function ResultList({ results, idOf }: ResultListProps) {
  return (
    <ol className="ck-results">
      {results.map((result, i) => (
        <li
          key={`${i} ${result.link}`}
          value={result.position ?? i + 1}
          {...(idOf && { id: idOf(result.position ?? i + 1), tabIndex: -1 })}
        >
          <Result result={result} />
        </li>
      ))}
    </ol>
  )
}

function Result({ result }: { result: WebSearchResult }) {
  const href = safeHref(result.link)
  const source = result.media || (href ? destinationOf(href) : '')
  const title = result.title || source || result.link
  return (
    <>
      <span className="ck-result-head">
        <Favicon source={result.icon} />
        {href === undefined ? (
          <span>{title}</span>
        ) : (
          <a className="ck-link" href={href} target="_blank" rel="noopener noreferrer" title={href}>
            {title}
          </a>
        )}
        <span className="ck-muted">{source}</span>
      </span>
      <span className="ck-result-text">{result.content}</span>
    </>
  )
}

/** Of an allowed origin only: asking a site for its icon tells it who reads. */
function Favicon({ source }: { source: string }) {
  const { imageHosts = [] } = useKit().options.security
  if (source === '' || !mayLoadImage(source, imageHosts)) return <Icon name="page" />
  return <img className="ck-favicon" src={source} alt="" loading="lazy" referrerPolicy="no-referrer" />
}
