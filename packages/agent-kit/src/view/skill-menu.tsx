import { useChatState } from '@parley/chatkit'
import type { SkillSummary } from '@parley/protocol'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode, type SyntheticEvent } from 'react'
import { findMention, insertMention, matchingSkills } from './find-mention.ts'
import { useView } from './view-context.ts'

type SkillMenuProps = { skills: readonly SkillSummary[]; children: ReactNode }

/** Offers skills while `/` or `@` is being written in the text box inside it. */
export function SkillMenu({ skills, children }: SkillMenuProps) {
  const { store, texts } = useView()
  const id = useId()
  const text = useChatState(({ textInput }) => textInput)
  const [caret, setCaret] = useState(0)
  const [active, setActive] = useState(0)
  const [dismissed, setDismissed] = useState('')
  const place = useRef<HTMLDivElement>(null)
  const mention = skills.length > 0 && text !== dismissed ? findMention(text, caret) : null
  const offered = mention ? matchingSkills(skills, mention.query) : []
  const isOpen = offered.length > 0
  const current = offered[Math.min(active, offered.length - 1)]

  useEffect(() => {
    const box = place.current?.querySelector('textarea')
    if (!box || !isOpen || !current) return
    box.setAttribute('aria-controls', id)
    box.setAttribute('aria-activedescendant', `${id}-${current.id}`)
    return () => {
      box.removeAttribute('aria-controls')
      box.removeAttribute('aria-activedescendant')
    }
  }, [id, isOpen, current])

  const choose = (skill: SkillSummary) => {
    if (!mention) return
    const written = insertMention(text, mention, skill)
    store.setTextInput(written)
    setCaret(written.length)
    setActive(0)
    place.current?.querySelector('textarea')?.focus()
  }
  const follow = ({ target }: SyntheticEvent) => {
    if (target instanceof HTMLTextAreaElement) setCaret(target.selectionStart)
  }
  // Before the text box sees the key: Enter chooses here and must not send.
  const onKeyDownCapture = (event: KeyboardEvent) => {
    if (!isOpen || !current || event.nativeEvent.isComposing) return
    const steps: Record<string, () => void> = {
      ArrowDown: () => setActive((active + 1) % offered.length),
      ArrowUp: () => setActive((active + offered.length - 1) % offered.length),
      Enter: () => choose(current),
      Tab: () => choose(current),
      Escape: () => setDismissed(text),
    }
    const step = steps[event.key]
    if (!step || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    step()
  }
  return (
    <div ref={place} className="ak-menu-place" onKeyDownCapture={onKeyDownCapture} onSelect={follow} onInput={follow}>
      {isOpen ? (
        <ul id={id} className="ak-menu" role="listbox" aria-label={texts.skills}>
          {offered.map((skill) => (
            <li
              key={skill.id}
              id={`${id}-${skill.id}`}
              role="option"
              aria-selected={skill === current}
              onPointerDown={(event) => {
                event.preventDefault()
                choose(skill)
              }}
            >
              <b>{skill.display_name}</b>
              <span className="ck-muted">{skill.description}</span>
            </li>
          ))}
        </ul>
      ) : null}
      {children}
    </div>
  )
}
