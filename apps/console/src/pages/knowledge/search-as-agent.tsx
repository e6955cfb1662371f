import type { KnowledgeResult } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { Search } from '../../ui/icons.tsx'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { AGENT_CUT, AGENT_DOCUMENTS, searchQuery, tokensQuery } from '../../data/knowledge.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Switch, TextInput } from '../../ui/field.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { marked } from './marked-terms.ts'
import { knowledgeWords } from './words.ts'

/** What an agent would be given for a message, and what was not good enough. */
export function SearchAsAgent({ collection }: { collection: string }) {
  const words = useWords(knowledgeWords)
  const [params, setParams] = useSearchParams()
  const q = params.get('q') ?? ''
  const isBelowShown = params.has('below')
  const [typed, setTyped] = useState(q)
  const { data, error, isFetching, refetch } = useQuery(searchQuery({ q, collection, isBelowShown }))
  const ask = (text: string, below: boolean) =>
    setParams({ tab: 'search', ...(text && { q: text }), ...(below && { below: '1' }) }, { replace: true })
  return (
    <div className="min-h-0 grow overflow-y-auto">
      <div className="mx-auto flex max-w-form flex-col gap-4 p-6 max-md:p-4">
        <form
          role="search"
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            ask(typed.trim(), isBelowShown)
          }}
        >
          <TextInput
            type="search"
            aria-label={words.question}
            placeholder={words.question}
            maxLength={8_000}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit" isBusy={isFetching}>
            <Search size={16} />
            {words.search}
          </Button>
        </form>
        <Switch label={words.showBelow} checked={isBelowShown} onChange={(event) => ask(q, event.target.checked)} />
        {q === '' ? <p className="text-13 text-muted">{words.searchText}</p> : null}
        {error && !data ? <Failure error={error} retry={() => void refetch()} /> : null}
        {q !== '' && !data && !error ? <Skeleton /> : null}
        {data ? <Results q={q} results={data} /> : null}
      </div>
    </div>
  )
}

function Results({ q, results }: { q: string; results: readonly KnowledgeResult[] }) {
  const words = useWords(knowledgeWords)
  const format = useFormat()
  const given = results.slice(0, AGENT_DOCUMENTS).filter(({ score }) => score >= AGENT_CUT)
  const below = results.slice(given.length)
  const { data: tokens } = useQuery(tokensQuery(given.map(({ passage }) => passage).join('\n\n')))
  return (
    <>
      <div role="status">
        <h3 className="text-14 font-semibold">
          {given.length === 0
            ? words.nothing
            : tokens
              ? words.given(given.length, format.number(tokens.token_count))
              : words.givenOnly(given.length)}
        </h3>
      </div>
      <ol className="flex flex-col gap-4">
        {given.map((result) => (
          <Result key={result.document.id} q={q} result={result} />
        ))}
      </ol>
      {below.length > 0 ? (
        <>
          <h3 className="border-t border-line pt-4 text-14 font-semibold">{words.below}</h3>
          <ol className="flex flex-col gap-4">
            {below.map((result) => (
              <Result key={result.document.id} q={q} result={result} isBelow />
            ))}
          </ol>
        </>
      ) : null}
    </>
  )
}

type ResultProps = { q: string; result: KnowledgeResult; isBelow?: boolean }

function Result({ q, result: { document, score, confidence, passage }, isBelow = false }: ResultProps) {
  const words = useWords(knowledgeWords)
  const format = useFormat()
  return (
    <li
      data-result={document.source ?? document.title}
      className={`flex flex-col gap-1 ${isBelow ? 'text-muted' : ''}`}
    >
      <div className="flex items-baseline gap-3 text-13">
        <span className="min-w-0 grow truncate font-medium">{document.source ?? document.title ?? words.untitled}</span>
        <span className="flex-none text-12 text-muted">
          {words.confidence[confidence]} {format.percent(score)}
        </span>
      </div>
      <p className="border-l-2 border-line pl-3 text-13 break-words whitespace-pre-wrap">
        {marked(passage, q).map(({ text, isTerm }, index) =>
          isTerm ? (
            <mark key={index} className="rounded-chip bg-accent-soft text-on-accent-soft">
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </p>
    </li>
  )
}
