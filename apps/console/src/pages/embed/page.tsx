import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import { embedOriginQuery } from '../../data/server.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { useLanguage, useWords } from '../../texts/language.ts'
import { useTheme } from '../../theme/theme-choice.ts'
import { tick } from '../chat/first-steps.ts'
import { Code } from './code.tsx'
import { FirstVisit, originIn, PageAddress } from './page-address.tsx'
import { isKind, isOnPage, KINDS, type Kind, snippetOf } from './snippets.ts'
import { WhoMayTalk } from './who-may-talk.tsx'
import { embedWords } from './words.ts'

/** The conversation in the reader's own product: where it stands, who may talk, what to copy, and whether it has come. */
export function Page() {
  const words = useWords(embedWords)
  const [params, setParams] = useSearchParams()
  const asked = params.get('kind') ?? 'script'
  const kind: Kind = isKind(asked) ? asked : 'script'
  const page = params.get('page') ?? ''
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    next.set(name, value)
    setParams(next, { replace: true })
  }
  const { data: told, isError } = useQuery(embedOriginQuery(originIn(page)))
  const isLetIn = kind === 'iframe' ? told?.may_frame === true : told?.allowed === true
  const copy = (
    <Code
      label={words.kinds[kind]}
      text={snippetOf(kind, { origin: location.origin, heading: words.heading })}
      onCopied={() => tick('embed')}
    />
  )
  return (
    <Frame>
      <SheetBar title={<h1>{words.title}</h1>} />
      <div className="grow overflow-y-auto">
        <div className="mx-auto flex max-w-form flex-col gap-6 p-6 max-md:p-4">
          <p className="text-14 text-muted">{words.about}</p>
          <div role="tablist" aria-label={words.title} className="flex flex-wrap gap-1 border-b border-line">
            {KINDS.map((one) => (
              <button
                key={one}
                type="button"
                role="tab"
                aria-selected={one === kind}
                onClick={() => set('kind', one)}
                className="min-h-8 border-b-2 border-transparent px-3 text-13 text-muted hover:text-text aria-selected:border-accent aria-selected:font-medium aria-selected:text-text max-md:min-h-11"
              >
                {words.kinds[one]}
              </button>
            ))}
          </div>
          {isOnPage(kind) ? (
            <ol className="flex flex-col gap-6">
              <Step number={1} title={words.where}>
                <PageAddress
                  typed={page}
                  onType={(text) => set('page', text)}
                  told={told}
                  isLetIn={isLetIn}
                  isUnknown={isError}
                />
              </Step>
              <Step number={2} title={words.who}>
                <WhoMayTalk />
              </Step>
              <Step number={3} title={words.snippet}>
                {copy}
                <FirstVisit told={isLetIn ? told : undefined} />
              </Step>
            </ol>
          ) : (
            <>
              <p className="text-13 text-muted">{words.fromServer}</p>
              {copy}
            </>
          )}
          {kind === 'react' || !isOnPage(kind) ? null : <Preview />}
        </div>
      </div>
    </Frame>
  )
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex flex-col gap-3">
      <h2 className="flex items-baseline gap-2 text-14 font-semibold">
        <span className="text-muted">{number}</span> {title}
      </h2>
      {children}
    </li>
  )
}

function Preview() {
  const words = useWords(embedWords)
  const language = useLanguage()
  const theme = useTheme()
  const query = new URLSearchParams({
    theme,
    locale: language === 'zh' ? 'zh-CN' : 'en',
    mode: 'copilot',
    heading: words.heading,
  })
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-14 font-semibold">{words.preview}</h2>
      <iframe
        title={words.preview}
        src={`/chat?${query}`}
        className="h-[420px] w-full max-w-[420px] rounded-card border border-line"
      />
    </section>
  )
}
