import type { InboxTool } from '@parley/protocol/rest'
import { type ReactNode, useState } from 'react'
import { approveTool, rereadInbox } from '../../data/inbox.ts'
import { useIsConnected } from '../../data/live/connected.ts'
import { showToast } from '../../shell/toasts.tsx'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Body, Section } from './detail-section.tsx'
import { DiffView } from './diff-view.tsx'
import { approvalWords } from './words.ts'

type ToolProps = { item: InboxTool; heading: ReactNode; onDecided: () => void }

/** A foreign tool that is not what it was: what models read of it, before and now. */
export function ToolChange({ item, heading, onDecided }: ToolProps) {
  const words = useWords(approvalWords)
  const isConnected = useIsConnected()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const { approved, offered } = item
  const schema = (version: typeof offered) => `${JSON.stringify(version.input, null, 2)}\n`
  const hints = (version: typeof offered) => `${JSON.stringify(version.hints ?? {}, null, 2)}\n`
  const approve = async () => {
    setBusy(true)
    setProblem('')
    try {
      await approveTool(item.id, offered.digest)
      showToast(words.approvedNow)
      onDecided()
    } catch (error) {
      // Another version may be offered by now: it is shown, and not this one approved.
      setProblem((error as Error).message)
      await rereadInbox()
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Body>
        {heading}
        {approved.description === offered.description ? null : (
          <Section title={words.description}>
            <DiffView name={item.id} before={`${approved.description}\n`} after={`${offered.description}\n`} />
          </Section>
        )}
        {schema(approved) === schema(offered) ? null : (
          <Section title={words.schema}>
            <DiffView name={item.id} before={schema(approved)} after={schema(offered)} />
          </Section>
        )}
        {hints(approved) === hints(offered) ? null : (
          <Section title={words.hints}>
            <DiffView name={item.id} before={hints(approved)} after={hints(offered)} />
          </Section>
        )}
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 text-13">
          <dt className="text-muted">{words.afterwards}</dt>
          <dd>{words.thenTool}</dd>
        </dl>
      </Body>
      <footer className="flex-none border-t border-line px-6 max-md:px-4">
        <div className="mx-auto flex max-w-form items-center gap-2 py-3">
          <Button
            kind="primary"
            isBusy={isBusy}
            disabled={!isConnected}
            onClick={() => void approve()}
            className="max-md:grow"
          >
            {isBusy ? words.sending : words.approveVersion}
          </Button>
          {problem ? (
            <p role="alert" className="text-13 text-danger">
              {problem}
            </p>
          ) : null}
        </div>
      </footer>
    </>
  )
}
