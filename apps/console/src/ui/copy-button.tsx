import { Check, Copy } from './icons.tsx'
import { useEffect, useState } from 'react'
import { useWords } from '../texts/language.ts'
import { Button } from './button.tsx'

const WORDS = { en: { copy: 'Copy', copied: 'Copied' }, zh: { copy: '复制', copied: '已复制' } }

/** Answers with a tick in its place. */
export function CopyButton({ text, label, onCopied }: { text: string; label?: string; onCopied?: () => void }) {
  const words = useWords(WORDS)
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), 2_000)
    return () => clearTimeout(timer)
  }, [isDone])
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    onCopied?.()
  }
  return (
    <Button aria-live="polite" onClick={() => void copy()}>
      {isDone ? <Check size={16} /> : <Copy size={16} />}
      {isDone ? words.copied : (label ?? words.copy)}
    </Button>
  )
}
