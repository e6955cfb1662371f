import type { ModelTest, ModelTestStep } from '@parley/protocol/rest'
import { Check, Minus, X } from '../../ui/icons.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { settingsWords } from './words.ts'

const MARKS = {
  ok: { icon: Check, look: 'text-success' },
  failed: { icon: X, look: 'text-danger' },
  skipped: { icon: Minus, look: 'text-muted' },
} as const satisfies Record<ModelTestStep['status'], object>

/** The way of a message, step by step, and where it ends. */
export function TestSteps({ test: { ok, steps } }: { test: ModelTest }) {
  const words = useWords(settingsWords)
  return (
    <div role="status" className="flex flex-col gap-1 rounded-control bg-raised p-3">
      <p className={`text-13 font-medium ${ok ? 'text-success' : 'text-danger'}`}>
        {ok ? words.works : words.worksNot}
      </p>
      <ol>
        {steps.map((step) => (
          <Step key={step.step} step={step} />
        ))}
      </ol>
    </div>
  )
}

function Step({ step: { step, status, ms, detail, models, has_model } }: { step: ModelTestStep }) {
  const words = useWords(settingsWords)
  const format = useFormat()
  const { icon: Icon, look } = MARKS[status]
  const found = models === undefined ? detail : words.listed(models, has_model)
  return (
    <li className="flex items-start gap-2 py-1 text-13">
      <Icon size={16} aria-hidden="true" className={`mt-0.5 flex-none ${look}`} />
      <span className="min-w-0 grow">
        {words.steps[step]}
        <span className="sr-only">: {words.stepStates[status]}</span>
        {found === null ? null : (
          <span className={`block text-12 break-words ${status === 'failed' ? 'text-danger' : 'text-muted'}`}>
            {found}
          </span>
        )}
      </span>
      <span className="flex-none text-12 tabular-nums text-muted">
        {status === 'skipped' ? '–' : format.duration(ms)}
      </span>
    </li>
  )
}
