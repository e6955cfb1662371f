import { useChatState, useComposer, useChatKit } from '@parley/chatkit'
import { useQuery } from '@tanstack/react-query'
import { Check, Info, X } from '../../ui/icons.tsx'
import { useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { modelsQuery } from '../../data/account.ts'
import { routes } from '../../routes.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { IconButton } from '../../ui/button.tsx'
import { isAsking } from './facts.ts'
import { closeFirstSteps, nextStep, STEPS, type Step, useFirstSteps } from './first-steps.ts'
import { firstStepsWords } from './first-steps-words.ts'
import { beginSurviving } from './survive/surviving.ts'

/** The first minute, step by step, until it is done or closed. */
export function FirstSteps() {
  const words = useWords(firstStepsWords)
  const state = useFirstSteps()
  const next = nextStep(state)
  useHello(next === 'talk' ? words.hello : '')
  return (
    <div className="grow overflow-y-auto">
      <div className="mx-auto flex max-w-chat flex-col gap-4 px-6 py-12 max-md:px-4 max-md:py-6">
        <div className="flex items-start justify-between gap-2">
          <h2 className="text-26 font-semibold text-balance">{words.title}</h2>
          <IconButton label={words.close} onClick={closeFirstSteps}>
            <X size={18} />
          </IconButton>
        </div>
        <p className="text-15 text-muted">{words.about}</p>
        <ol className="overflow-hidden rounded-card border border-line">
          {STEPS.map((step, index) => (
            <StepRow key={step} step={step} number={index + 1} isNext={step === next} />
          ))}
        </ol>
        <DemoNotice />
      </div>
    </div>
  )
}

/** The next step, above a conversation that has begun. */
export function NextStep() {
  const words = useWords(firstStepsWords)
  const state = useFirstSteps()
  const isIdle = useChatState(
    ({ status, messages }) => status === 'idle' && messages.length > 0 && !messages.at(-1)?.content.some(isAsking),
  )
  const next = nextStep(state)
  const act = useStepAction()
  if (!next || next === 'talk' || !isIdle) return null
  return (
    <div className="flex flex-none items-center gap-3 border-b border-line bg-raised px-6 py-2 text-13 max-md:px-4">
      <span className="text-muted">{words.next}</span>
      <span className="grow truncate font-medium">{words.steps[next].title}</span>
      <StepButton isPrimary onClick={() => act(next)}>
        {words.steps[next].action}
      </StepButton>
      <IconButton label={words.close} onClick={closeFirstSteps}>
        <X size={16} />
      </IconButton>
    </div>
  )
}

function StepRow({ step, number, isNext }: { step: Step; number: number; isNext: boolean }) {
  const words = useWords(firstStepsWords)
  const format = useFormat()
  const { done, talkMs } = useFirstSteps()
  const act = useStepAction()
  const { title, text, action } = words.steps[step]
  const told = step === 'talk' && talkMs !== undefined ? words.doneIn(format.duration(talkMs)) : words.done
  return (
    <li
      data-step={step}
      data-done={done[step]}
      className={`flex items-center gap-4 border-b border-line p-4 last:border-b-0 ${isNext ? 'bg-raised' : ''}`}
    >
      <span
        aria-hidden="true"
        className={`flex size-6 flex-none items-center justify-center rounded-full text-12 font-semibold ${
          done[step]
            ? 'bg-success text-surface'
            : isNext
              ? 'border border-accent text-accent'
              : 'border border-control text-muted'
        }`}
      >
        {done[step] ? <Check size={16} strokeWidth={2} /> : number}
      </span>
      <span className="grow">
        <span className={`block text-14 ${done[step] ? 'text-muted' : 'font-medium'}`}>{title}</span>
        <span className="block text-13 text-muted">{done[step] ? told : text}</span>
      </span>
      {done[step] ? null : (
        <StepButton isPrimary={isNext} onClick={() => act(step)}>
          {action}
        </StepButton>
      )}
    </li>
  )
}

function StepButton({ isPrimary, ...props }: React.ComponentProps<'button'> & { isPrimary: boolean }) {
  return (
    <button
      type="button"
      {...props}
      className={`min-h-8 flex-none rounded-control px-3 text-13 font-medium max-md:min-h-11 ${
        isPrimary ? 'bg-accent text-on-accent hover:bg-accent-hover' : 'border border-line bg-surface hover:bg-hover'
      }`}
    />
  )
}

function DemoNotice() {
  const words = useWords(firstStepsWords)
  const { data: models } = useQuery(modelsQuery)
  if (models?.default !== 'demo') return null
  return (
    <p className="on-tint flex items-center gap-2 rounded-card bg-accent-soft p-4 text-13 text-on-accent-soft">
      <Info size={16} className="flex-none" aria-hidden="true" />
      <span className="grow">{words.demo}</span>
      <Link href={routes.settings('models')} className="font-semibold">
        {words.addModel}
      </Link>
    </p>
  )
}

/** What a step's button does: it says the step's sentence, or shows its page. */
function useStepAction(): (step: Step) => void {
  const words = useWords(firstStepsWords)
  const { store } = useChatKit()
  const [, go] = useLocation()
  const { data: models } = useQuery(modelsQuery)
  const prompts = models?.default === 'demo' ? words.demoPrompts : words.prompts
  // A failure shows in the chat.
  const say = (text: string) => void store.send(text).catch(() => undefined)
  return (step) => {
    if (step === 'embed') return go(routes.embed)
    if (step === 'talk') return say(words.hello)
    if (step === 'survive') beginSurviving()
    say(prompts[step])
  }
}

/** A first word stands in the box, so that Enter is enough. */
function useHello(text: string): void {
  const { setText, text: typed } = useComposer()
  useEffect(() => {
    if (text && typed === '') setText(text)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once: what the reader deletes stays deleted
  }, [text])
}
