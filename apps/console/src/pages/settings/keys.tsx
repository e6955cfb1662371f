import type { ApiKey } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../../data/client.ts'
import { keysQuery, rereadKeys } from '../../data/server.ts'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { showToast } from '../../shell/toasts.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { settingsWords } from './words.ts'

/** The reader's own keys. A new one is shown once, and lives nowhere after that. */
export function Keys() {
  const words = useWords(settingsWords)
  const { data: keys, error, isPending, refetch } = useQuery(keysQuery)
  const [isMaking, setMaking] = useState(false)
  const [doomed, setDoomed] = useState<ApiKey | null>(null)
  useShortcuts({ n: () => setMaking(true) })
  const making = (
    <Button kind="primary" onClick={() => setMaking(true)}>
      {words.newKey}
    </Button>
  )
  return (
    <>
      {isPending ? <Skeleton /> : null}
      {error && !keys ? <Failure error={error} retry={() => void refetch()} /> : null}
      {keys?.length === 0 ? (
        <Empty title={words.noKeys} action={making}>
          {words.noKeysText}
        </Empty>
      ) : null}
      {keys && keys.length > 0 ? (
        <>
          <div className="flex items-center justify-between gap-4">
            <p className="text-14 text-muted">{words.keysAbout}</p>
            <span className="flex-none">{making}</span>
          </div>
          <KeyTable keys={keys} onRevoke={setDoomed} />
        </>
      ) : null}
      {isMaking ? <NewKey onClose={() => setMaking(false)} /> : null}
      {doomed ? <Revoke apiKey={doomed} onClose={() => setDoomed(null)} /> : null}
    </>
  )
}

function KeyTable({ keys, onRevoke }: { keys: readonly ApiKey[]; onRevoke: (key: ApiKey) => void }) {
  const words = useWords(settingsWords)
  const format = useFormat()
  return (
    <table className="w-full text-left text-13">
      <thead className="max-md:sr-only">
        <tr className="border-b border-line text-12 text-muted">
          {[words.name, words.key, words.created, words.lastUsed].map((head) => (
            <th key={head} scope="col" className="py-2 pr-4 font-medium">
              {head}
            </th>
          ))}
          <th scope="col">
            <span className="sr-only">{words.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr
            key={key.id}
            className="border-b border-line max-md:grid max-md:grid-cols-[1fr_auto] max-md:items-center max-md:gap-x-3 max-md:py-2"
          >
            <th scope="row" className="py-2 pr-4 font-medium break-words max-md:py-0">
              {key.name}
            </th>
            <td className="py-2 pr-4 font-mono text-12 text-muted max-md:col-start-1 max-md:row-start-2 max-md:py-0">
              {key.masked}
            </td>
            <td className="py-2 pr-4 text-muted max-md:hidden" title={format.absolute(key.created_at)}>
              {format.day(key.created_at)}
            </td>
            <td
              className="py-2 pr-4 text-muted max-md:hidden"
              title={key.last_used_at ? format.absolute(key.last_used_at) : undefined}
            >
              {key.last_used_at ? format.ago(key.last_used_at) : words.never}
            </td>
            <td className="py-1 text-right max-md:row-span-2 max-md:row-start-1 max-md:py-0">
              <Button kind="quiet" aria-label={`${words.revoke} ${key.name}`} onClick={() => onRevoke(key)}>
                {words.revoke}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** First its name, then the key itself; that step is left only by saying that it is kept. */
function NewKey({ onClose }: { onClose: () => void }) {
  const words = useWords(settingsWords)
  const [name, setName] = useState('')
  const [plaintext, setPlaintext] = useState<string | null>(null)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const create = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      setPlaintext((await client.apiKeys.createApiKey(name.trim())).plaintext)
      await rereadKeys()
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  if (plaintext !== null)
    return (
      <Dialog
        title={words.theKey}
        onClose={() => undefined}
        actions={
          <Button kind="primary" onClick={onClose}>
            {words.saved}
          </Button>
        }
      >
        <p>{words.copyNow}</p>
        <div className="mt-3 flex items-center justify-between gap-2 rounded-card border border-line bg-raised p-2 pl-4 text-text">
          <code data-key="" className="min-w-0 font-mono text-13 break-all">
            {plaintext}
          </code>
          <CopyButton text={plaintext} />
        </div>
      </Dialog>
    )
  return (
    <Dialog title={words.newKey} onClose={onClose}>
      <form onSubmit={(event) => void create(event)} className="flex flex-col gap-4 text-text">
        <Field label={words.name} hint={words.keyNameHint} error={problem}>
          {(control) => (
            <TextInput
              {...control}
              data-focus=""
              required
              maxLength={50}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <div className="flex flex-row-reverse gap-2">
          <Button type="submit" kind="primary" isBusy={isBusy} disabled={name.trim() === ''}>
            {words.create}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  )
}

function Revoke({ apiKey: { id, name }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const words = useWords(settingsWords)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const revoke = async () => {
    setBusy(true)
    try {
      await client.apiKeys.deleteApiKey(id)
      await rereadKeys()
      showToast(words.revoked(name))
      onClose()
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={words.revokeTitle(name)}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" isBusy={isBusy} onClick={() => void revoke()}>
            {words.revokeKey}
          </Button>
          <Button data-focus="" onClick={onClose}>
            {words.cancel}
          </Button>
        </>
      }
    >
      {words.revokeText}
      {problem ? (
        <p role="alert" className="mt-2 text-danger">
          {problem}
        </p>
      ) : null}
    </Dialog>
  )
}
