import type { SessionDetail } from '@parley/protocol'
import { useRef, useState } from 'react'
import { exportSession } from '../../../data/sharing.ts'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { shareWords } from './words.ts'

type Format = 'zip' | 'markdown'
type State = { is: 'idle' } | { is: 'reading'; format: Format; bytes: number } | { is: 'failed'; reason: string }

/** The session as a file: whole, to be imported elsewhere, or to be read. */
export function ExportSession({ session }: { session: SessionDetail }) {
  const words = useWords(shareWords)
  const format = useFormat()
  const [state, setState] = useState<State>({ is: 'idle' })
  const running = useRef<AbortController>(undefined)
  const begin = async (kind: Format) => {
    const controller = new AbortController()
    running.current = controller
    setState({ is: 'reading', format: kind, bytes: 0 })
    try {
      const blob = await exportSession(session.id, {
        format: kind,
        onBytes: (bytes) => setState({ is: 'reading', format: kind, bytes }),
        signal: controller.signal,
      })
      saveFile(blob, `${fileName(session)}.${kind === 'zip' ? 'zip' : 'md'}`)
      setState({ is: 'idle' })
    } catch (error) {
      setState(controller.signal.aborted ? { is: 'idle' } : { is: 'failed', reason: (error as Error).message })
    }
  }
  return (
    <section className="flex flex-col gap-2 border-t border-line pt-4">
      <h3 className="text-14 font-semibold">{words.export}</h3>
      <p className="text-13 text-muted">{words.exportText}</p>
      {state.is === 'reading' ? (
        <div role="status" className="flex items-center gap-2 text-13">
          <span className="grow">{words.exporting(format.bytes(state.bytes))}</span>
          <Button onClick={() => running.current?.abort()}>{words.cancel}</Button>
        </div>
      ) : (
        <div className="flex gap-2">
          <Button onClick={() => void begin('zip')}>{words.zip}</Button>
          <Button onClick={() => void begin('markdown')}>{words.markdown}</Button>
        </div>
      )}
      {state.is === 'failed' ? (
        <p role="alert" className="text-13 text-danger">
          {state.reason}
        </p>
      ) : null}
    </section>
  )
}

/** By its title, as every file system takes it. */
function fileName({ intent, id }: SessionDetail): string {
  return intent.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80) || id
}
