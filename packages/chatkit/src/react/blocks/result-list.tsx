import { destinationOf, mayLoadImage, safeHref } from '../../markdown/safe-url.ts'
import type { Source } from '../../model/display-blocks.ts'
import { Icon } from '../controls/icon.tsx'
import { useKit } from '../kit/kit-context.ts'
import { useOpenSource } from './open-source.tsx'

export type ResultListProps = {
  results: readonly Source[]
  /** The id of an entry, so that the text can lead to it. */
  idOf?: (position: number) => string
}

export function ResultList({ results, idOf }: ResultListProps) {
  return (
    <ol className="ck-results">
      {results.map((result, i) => {
        const position = result.position ?? i + 1
        const isNumbered = position > 0
        return (
          <li
            key={`${i} ${result.link}`}
            data-unnumbered={!isNumbered || undefined}
            {...(isNumbered && { value: position })}
            {...(idOf && isNumbered && { id: idOf(position), tabIndex: -1 })}
          >
            <Result result={result} />
          </li>
        )
      })}
    </ol>
  )
}

function Result({ result }: { result: Source }) {
  const href = safeHref(result.link)
  const open = useOpenSource(result)
  const source = result.media || (href ? destinationOf(href) : '')
  const title = [result.title || source || result.link, ...(result.headings ?? [])].join(' › ')
  return (
    <>
      <span className="ck-result-head">
        {open ? null : <Favicon source={result.icon} />}
        {open ? (
          <button type="button" className="ck-link ck-source-link" dir="auto" onClick={open}>
            {title}
          </button>
        ) : href === undefined ? (
          <span>{title}</span>
        ) : (
          <a className="ck-link" href={href} target="_blank" rel="noopener noreferrer" title={href}>
            {title}
          </a>
        )}
        <span className="ck-muted">{source}</span>
      </span>
      {/* What can be opened is read there. */}
      {open ? null : <span className="ck-result-text">{result.content}</span>}
    </>
  )
}

/** Of an allowed origin only: asking a site for its icon tells it who reads. */
function Favicon({ source }: { source: string }) {
  const { imageHosts = [] } = useKit().options.security
  if (source === '' || !mayLoadImage(source, imageHosts)) return <Icon name="page" />
  return <img className="ck-favicon" src={source} alt="" loading="lazy" referrerPolicy="no-referrer" />
}
