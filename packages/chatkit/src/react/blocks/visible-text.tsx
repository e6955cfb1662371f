/**
 * What nobody sees, or what changes the order of what is seen: it must not hide anything from somebody who decides. Tabs,
 * line ends and plain spaces are seen; what joins emoji belongs to them.
 */
const HIDDEN =
  /(?<!\p{Extended_Pictographic}\uFE0F?)((?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029]|(?![ \u3000])\p{Zs})/u

/** Text as it is, with names for what cannot be seen. Wraps between words; a word breaks only where it is wider than its place. */
export function VisibleText({ text }: { text: string }) {
  return text.split(/(\s+)/).map((word, i) =>
    // oxlint-disable-next-line react/no-array-index-key -- words have no other identity
    i % 2 === 1 && !HIDDEN.test(word) ? word : <Word key={i} word={word} />,
  )
}

function Word({ word }: { word: string }) {
  const parts = word.split(HIDDEN)
  return (
    <span className="ck-word">
      {parts.map((part, i) =>
        i % 2 === 0 ? (
          part
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- as above
          <span key={i} className="ck-unseen">
            {codeOf(part)}
          </span>
        ),
      )}
    </span>
  )
}

const codeOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
