import type { ToolDetail } from '@parley/protocol/rest'
import { diffLines } from 'diff'
import { useState } from 'react'
import { approveTool } from '../../data/tools.ts'
import { showToast } from '../../shell/toasts.tsx'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { toolWords } from './words.ts'

type Versions = NonNullable<ToolDetail['versions']>

/** What was agreed to against what the server offers now; the owner's consent is to exactly what is shown. */
export function ChangedTool({ name, versions, isOwner }: { name: string; versions: Versions; isOwner: boolean }) {
  const words = useWords(toolWords)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const { approved, offered } = versions
  const approve = async () => {
    setBusy(true)
    setProblem(null)
    try {
      await approveTool(name, String(offered['digest']))
      showToast(words.approved)
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="flex flex-col gap-3 rounded-card border border-badge p-4">
      <h2 className="text-15 font-semibold">{words.changed}</h2>
      <p className="text-13 text-muted">{words.changedText}</p>
      <Diff title={words.description} before={text(approved['description'])} after={text(offered['description'])} />
      <Diff title={words.schema} before={json(approved['input'])} after={json(offered['input'])} />
      {problem ? (
        <p role="alert" className="text-13 text-danger">
          {problem}
        </p>
      ) : null}
      {isOwner ? (
        <Button kind="primary" className="w-fit" isBusy={isBusy} onClick={() => void approve()}>
          {words.approve}
        </Button>
      ) : (
        <p className="text-13">{words.only}</p>
      )}
    </section>
  )
}

function Diff({ title, before, after }: { title: string; before: string; after: string }) {
  if (before === after) return null
  return (
    <figure className="flex flex-col gap-1">
      <figcaption className="text-12 text-muted">{title}</figcaption>
      <pre tabIndex={0} className="overflow-x-auto rounded-control border border-line py-1 font-mono text-12">
        {diffLines(`${before}\n`, `${after}\n`).flatMap(({ value, added, removed }, part) =>
          value
            .replace(/\n$/, '')
            .split('\n')
            .map((line, at) => (
              <span
                key={`${part}.${at}`}
                className={`block px-3 whitespace-pre-wrap ${added ? 'bg-added-soft text-added' : removed ? 'bg-deleted-soft text-deleted' : ''}`}
              >
                {added ? '+ ' : removed ? '− ' : '  '}
                {line}
              </span>
            )),
        )}
      </pre>
    </figure>
  )
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function json(value: unknown): string {
  return JSON.stringify(value ?? {}, null, 2)
}
