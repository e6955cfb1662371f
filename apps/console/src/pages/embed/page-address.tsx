import type { EmbedOrigin } from '@parley/protocol/rest'
import { Check } from '../../ui/icons.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Spinner } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Code } from './code.tsx'
import { embedWords } from './words.ts'

type PageAddressProps = {
  typed: string
  onType: (text: string) => void
  /** What the server says of it; undefined while there is no whole address, or no answer. */
  told: EmbedOrigin | undefined
  isLetIn: boolean
  isUnknown: boolean
}

/** Says whether the server lets a page in, and if not, with which words it would. */
export function PageAddress({ typed, onType, told, isLetIn, isUnknown }: PageAddressProps) {
  const words = useWords(embedWords)
  const error = typed && !originIn(typed) ? words.badAddress : undefined
  return (
    <div className="flex flex-col gap-2">
      <Field label={words.address} hint={words.addressHint} error={error}>
        {(control) => (
          <TextInput
            {...control}
            type="url"
            placeholder="https://shop.example.com"
            value={typed}
            onChange={(event) => onType(event.target.value)}
          />
        )}
      </Field>
      <div aria-live="polite" className="flex flex-col gap-2 text-13">
        {told && isLetIn ? (
          <p className="flex items-center gap-2 text-success">
            <Check size={16} strokeWidth={1.75} aria-hidden="true" /> {words.allowed}
          </p>
        ) : null}
        {told && !isLetIn ? <p>{words.notAllowed}</p> : null}
        {isUnknown ? <p className="text-muted">{words.askOwner}</p> : null}
      </div>
      {told && !isLetIn ? <Code label="PARLEY_ALLOWED_ORIGINS" text={lineFor(told)} /> : null}
    </div>
  )
}

/** Turns to a tick by itself when the first page comes. */
export function FirstVisit({ told }: { told: EmbedOrigin | undefined }) {
  const words = useWords(embedWords)
  const format = useFormat()
  if (!told) return <p className="text-13 text-muted">{words.noAddress}</p>
  const { host } = new URL(told.origin)
  if (told.first_visit_at === null)
    return (
      <p role="status" className="flex items-center gap-2 text-13 text-muted">
        <Spinner /> {words.waiting(host)}
      </p>
    )
  return (
    <p role="status" className="flex items-center gap-2 text-13 text-success">
      <Check size={16} strokeWidth={1.75} aria-hidden="true" />
      {words.visited(host, format.clock(told.first_visit_at))}
    </p>
  )
}

/** Those that are let in stay. */
function lineFor({ origin, allowed_origins }: EmbedOrigin): string {
  return `PARLEY_ALLOWED_ORIGINS=${[...allowed_origins, origin].join(',')} npm start`
}

export function originIn(text: string): string | undefined {
  if (!URL.canParse(text) || !/^https?:/.test(text)) return undefined
  return new URL(text).origin
}
