import { ParleyApiError } from '@parley/client'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { routes } from '../routes.ts'
import { useWords } from '../texts/language.ts'
import { Button } from './button.tsx'
import { stateWords } from './states-words.ts'

/** Nothing is there yet: one sentence, and one button that makes the first thing. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-dialog flex-col items-center gap-3 px-6 py-12 text-center">
      <p className="text-15 font-medium">{title}</p>
      {children ? <div className="text-13 text-muted">{children}</div> : null}
      {action}
    </div>
  )
}

/** In the shape of what comes; only after a moment, so that quick answers do not flash. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const words = useWords(stateWords)
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-label={words.loading} className="flex flex-col gap-2 p-6">
      {isShown
        ? Array.from({ length: rows }, (_, index) => (
            <div
              key={index}
              className="h-6 rounded-inner bg-hover"
              style={{ inlineSize: `${90 - ((index * 17) % 40)}%` }}
            />
          ))
        : null}
    </div>
  )
}

/** What happened, what to do, one button; the rest of the page stays. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const words = useWords(stateWords)
  const status = error instanceof ParleyApiError ? error.status : 0
  if (status === 403) return <Empty title={words.forbidden} action={<BackHome label={words.back} />} />
  if (status === 404) return <Empty title={words.gone} action={<BackHome label={words.back} />} />
  const title = status === 0 ? words.unreachable : status >= 500 ? words.broken : (error as Error).message
  return (
    <div role="alert" className="mx-auto flex max-w-dialog flex-col items-center gap-3 px-6 py-12 text-center">
      <p className="text-15 font-medium">{title}</p>
      {retry ? <Button onClick={retry}>{words.again}</Button> : null}
      <details className="w-full text-left text-12 text-muted">
        <summary>{words.details}</summary>
        <pre className="mt-2 overflow-x-auto rounded-control bg-raised p-3 font-mono whitespace-pre-wrap">
          {`${status || ''} ${(error as Error).message}\n${new Date().toISOString()}`}
        </pre>
      </details>
    </div>
  )
}

function BackHome({ label }: { label: string }) {
  return (
    <Link href={routes.home} className="text-13 font-medium text-accent">
      {label}
    </Link>
  )
}
