import type { CrashPossibility } from '@parley/protocol/rest'
import { X } from '../../../ui/icons.tsx'
import { useEffect, useState } from 'react'
import { useWords } from '../../../texts/language.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { tick } from '../first-steps.ts'
import { crashPossibility } from './crash-server.ts'
import { crashWords } from './crash-words.ts'
import { endSurviving } from './surviving.ts'
import { type CrashStep, watchCrash } from './watch-crash.ts'

/** How often the server is asked whether there is something to crash. */
const LOOK_MS = 700

/** The button, why it cannot be pressed, and what came of it when it was. */
export function CrashPanel() {
  const words = useWords(crashWords)
  const [possible, setPossible] = useState<CrashPossibility>()
  const [steps, setSteps] = useState<readonly CrashStep[]>([])
  const [refusal, setRefusal] = useState('')
  const [isCrashing, setCrashing] = useState(false)
  useEffect(() => {
    if (isCrashing) return
    let isOn = true
    const look = async () => {
      const answer = await crashPossibility()
      if (isOn) setPossible(typeof answer === 'object' ? answer : undefined)
    }
    void look()
    const timer = setInterval(() => void look(), LOOK_MS)
    return () => {
      isOn = false
      clearInterval(timer)
    }
  }, [isCrashing])

  const kill = async () => {
    const session = possible?.runs[0]?.session_id
    if (!session || !possible) return
    setCrashing(true)
    setSteps([])
    setRefusal('')
    try {
      for await (const step of watchCrash(session, possible.pid)) {
        setSteps((before) => [...before, step])
        if (step.step === 'on') tick('survive')
        if (step.step === 'on') setCrashing(false)
      }
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setCrashing(false)
  }
  const why = possible?.code === 'not_running' ? words.idle : (possible?.reason ?? '')
  return (
    <section
      aria-label={words.title}
      data-crash
      className="flex-none border-b border-line bg-raised px-6 py-3 max-md:px-4"
    >
      <div className="mx-auto flex max-w-chat flex-col gap-2">
        <div className="flex items-center gap-3">
          <h2 className="grow text-14 font-semibold">{words.title}</h2>
          <Button kind="danger" disabled={isCrashing || !possible?.is_possible} onClick={() => void kill()}>
            {words.kill}
          </Button>
          <IconButton label={words.close} onClick={endSurviving}>
            <X size={16} />
          </IconButton>
        </div>
        <p className="text-13 text-muted">{words.about}</p>
        <p role="status" className="text-13 text-muted">
          {refusal || (isCrashing ? words.waiting : steps.length > 0 ? '' : why)}
        </p>
        <ol aria-live="polite" className="flex flex-col gap-1 text-13">
          {steps.map((step) => (
            <li key={step.step} data-step={step.step === 'done' && step.lost > 0 ? 'lost' : step.step}>
              {words.steps(step)}
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}
