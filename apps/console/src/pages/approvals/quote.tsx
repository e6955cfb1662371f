import { useWords } from '../../texts/language.ts'
import { Section } from './detail-section.tsx'
import { ShownText } from './shown-text.tsx'
import { approvalWords } from './words.ts'

/** The agent's own words: below what would happen, and away from the buttons. */
export function Quote({ text }: { text: string }) {
  const words = useWords(approvalWords)
  return (
    <Section title={words.why}>
      <blockquote className="border-l-2 border-line pl-4 text-14 text-muted [overflow-wrap:anywhere] whitespace-pre-wrap">
        “<ShownText text={text} />”
      </blockquote>
    </Section>
  )
}
