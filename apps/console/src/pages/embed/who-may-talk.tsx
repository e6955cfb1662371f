import { useState } from 'react'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from './code.tsx'
import config from './snippets/parley.config.ts?raw'
import { fill, TOKEN_SERVERS } from './snippets.ts'
import { embedWords } from './words.ts'

const WAYS = ['node', 'python', 'login'] as const

/** Whom the server talks to, and who vouches for them. */
export function WhoMayTalk() {
  const words = useWords(embedWords)
  const [isShown, setShown] = useState(false)
  const [way, setWay] = useState<(typeof WAYS)[number]>('node')
  const text = way === 'login' ? config.trimEnd() : fill(TOKEN_SERVERS[way], { origin: location.origin, heading: '' })
  return (
    <div className="flex flex-col gap-2">
      <p className="text-13 text-muted">{words.whoText}</p>
      <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
        <legend className="sr-only">{words.who}</legend>
        {WAYS.map((one) => (
          <label key={one} className="inline-flex items-center gap-2 text-13 max-md:min-h-11">
            <input type="radio" name="way" checked={one === way} onChange={() => setWay(one)} />
            {words.ways[one]}
          </label>
        ))}
      </fieldset>
      {way === 'login' ? <p className="text-13">{words.login}</p> : null}
      <span>
        <Button aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? words.hideCode : words.showCode}
        </Button>
      </span>
      {isShown ? <Code label={words.ways[way]} text={text} /> : null}
    </div>
  )
}
