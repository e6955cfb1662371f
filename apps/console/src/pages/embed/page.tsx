import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { useLanguage, useWords } from '../../texts/language.ts'
import { useTheme } from '../../theme/theme-choice.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { tick } from '../chat/first-steps.ts'
import { isKind, KINDS, type Kind, snippetOf, TOKEN_SNIPPET } from './snippets.ts'
import { embedWords } from './words.ts'

/** The conversation in the reader's own product: filled-in snippets, and what each looks like. */
export function Page() {
  const words = useWords(embedWords)
  const [params, setParams] = useSearchParams()
  const asked = params.get('kind') ?? 'script'
  const kind: Kind = isKind(asked) ? asked : 'script'
  const snippet = snippetOf(kind, { origin: location.origin, heading: words.heading })
  return (
    <Frame>
      <SheetBar title={<h1>{words.title}</h1>} />
      <div className="grow overflow-y-auto">
        <div className="mx-auto flex max-w-form flex-col gap-6 p-6 max-md:p-4">
          <p className="text-14 text-muted">{words.about}</p>
          <div role="tablist" aria-label={words.title} className="flex flex-wrap gap-1 border-b border-line">
            {KINDS.map((one) => (
              <button
                key={one}
                type="button"
                role="tab"
                aria-selected={one === kind}
                onClick={() => setParams({ kind: one }, { replace: true })}
                className="min-h-8 border-b-2 border-transparent px-3 text-13 text-muted hover:text-text aria-selected:border-accent aria-selected:font-medium aria-selected:text-text max-md:min-h-11"
              >
                {words.kinds[one]}
              </button>
            ))}
          </div>
          <section className="flex flex-col gap-2">
            <h2 className="text-14 font-semibold">{words.snippet}</h2>
            <Code text={snippet} onCopied={() => tick('embed')} />
          </section>
          {kind === 'http' || kind === 'socket' ? null : <WhoMayTalk />}
          <PageAddress />
          {kind === 'http' || kind === 'socket' || kind === 'react' ? null : <Preview />}
        </div>
      </div>
    </Frame>
  )
}

function WhoMayTalk() {
  const words = useWords(embedWords)
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-14 font-semibold">{words.who}</h2>
      <p className="text-13 text-muted">{words.whoText}</p>
      <p className="text-13">{words.token}</p>
      <Code text={TOKEN_SNIPPET.replaceAll('{origin}', location.origin)} />
    </section>
  )
}

/** Says whether the server lets a page in, and if not, with which words it would. */
function PageAddress() {
  const words = useWords(embedWords)
  const [typed, setTyped] = useState('')
  const origin = originIn(typed)
  const isOwn = origin === location.origin
  return (
    <section className="flex flex-col gap-2">
      <Field label={words.address} hint={words.addressHint} error={typed && !origin ? words.badAddress : undefined}>
        {(control) => (
          <TextInput
            {...control}
            type="url"
            placeholder="https://shop.example.com"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
      {origin ? <p className="text-13">{isOwn ? words.allowed : words.notAllowed}</p> : null}
      {origin && !isOwn ? <Code text={`PARLEY_ALLOWED_ORIGINS=${origin} npm start`} /> : null}
    </section>
  )
}

function Preview() {
  const words = useWords(embedWords)
  const language = useLanguage()
  const theme = useTheme()
  const query = new URLSearchParams({
    theme,
    locale: language === 'zh' ? 'zh-CN' : 'en',
    mode: 'copilot',
    heading: words.heading,
  })
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-14 font-semibold">{words.preview}</h2>
      <iframe
        title={words.preview}
        src={`/chat?${query}`}
        className="h-[420px] w-full max-w-[420px] rounded-card border border-line"
      />
    </section>
  )
}

function Code({ text, onCopied }: { text: string; onCopied?: () => void }) {
  return (
    <div className="relative rounded-card border border-line bg-raised">
      <pre tabIndex={0} className="overflow-x-auto p-4 pr-28 font-mono text-13">
        {text}
      </pre>
      <span className="absolute top-2 right-2">
        <CopyButton text={text} {...(onCopied && { onCopied })} />
      </span>
    </div>
  )
}

function originIn(text: string): string | undefined {
  if (!URL.canParse(text) || !/^https?:/.test(text)) return undefined
  return new URL(text).origin
}
