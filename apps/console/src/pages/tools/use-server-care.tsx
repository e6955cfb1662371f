import type { McpServerHealth } from '@parley/protocol/rest'
import { type ReactNode, useState } from 'react'
import { restartServer, testServer } from '../../data/tools.ts'
import { showToast } from '../../shell/toasts.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toolWords } from './words.ts'

export type ServerCare = {
  /** Of the server that is being tested or started again. */
  busy: string | null
  test: (name: string) => void
  askRestart: (server: McpServerHealth) => void
  dialog: ReactNode
}

/** Testing and restarting a server, with what came of it said once. */
export function useServerCare(): ServerCare {
  const words = useWords(toolWords)
  const format = useFormat()
  const [busy, setBusy] = useState<string | null>(null)
  const [asked, setAsked] = useState<McpServerHealth | null>(null)
  const during = async (name: string, work: () => Promise<string>) => {
    setBusy(name)
    try {
      showToast(await work())
    } catch (error) {
      showToast((error as Error).message)
    } finally {
      setBusy(null)
    }
  }
  const test = (name: string) =>
    void during(name, async () => {
      const { ok, ms, server } = await testServer(name)
      return ok ? words.tested(server.server, format.duration(ms)) : words.testFailed(server.server)
    })
  const restart = ({ name, server }: McpServerHealth) =>
    void during(name, async () => {
      const { state } = await restartServer(name)
      return state === 'failed' ? words.testFailed(server) : words.restarted(server)
    })
  const dialog = asked ? (
    <Dialog
      title={words.restartTitle(asked.server)}
      onClose={() => setAsked(null)}
      actions={
        <>
          <Button
            kind="danger"
            onClick={() => {
              setAsked(null)
              restart(asked)
            }}
          >
            {words.restart}
          </Button>
          <Button data-focus="" onClick={() => setAsked(null)}>
            {words.cancel}
          </Button>
        </>
      }
    >
      {words.restartText}
    </Dialog>
  ) : null
  return { busy, test, askRestart: setAsked, dialog }
}
