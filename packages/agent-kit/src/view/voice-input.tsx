import { useEffect, useRef, useState } from 'react'
import { useView } from './view-context.ts'

type Results = ArrayLike<{ isFinal: boolean } & ArrayLike<{ transcript: string }>>
type Recognition = EventTarget & { lang: string; continuous: boolean; start: () => void; abort: () => void }

/** Writes what is spoken into the text box. Only where the browser can, and only while the button is on. */
export function VoiceInput() {
  const { store, locale, texts } = useView()
  const [isListening, setListening] = useState(false)
  const active = useRef<Recognition | null>(null)
  useEffect(() => () => active.current?.abort(), [])
  const Recogniser = recogniser()
  if (!Recogniser) return null
  const listen = () => {
    const recognition = new Recogniser()
    recognition.lang = locale
    recognition.continuous = true
    recognition.addEventListener('result', (event) => {
      const spoken = lastOf((event as Event & { results: Results }).results)
      const { textInput } = store.getSnapshot()
      if (spoken) store.setTextInput(textInput ? `${textInput.trimEnd()} ${spoken}` : spoken)
    })
    recognition.addEventListener('end', () => setListening(false))
    active.current = recognition
    recognition.start()
    setListening(true)
  }
  return (
    <button
      type="button"
      className="ck-button ck-quiet ak-voice"
      aria-pressed={isListening}
      onClick={() => (isListening ? active.current?.abort() : listen())}
    >
      {isListening ? texts.stopSpeaking : texts.speak}
    </button>
  )
}

function recogniser(): (new () => Recognition) | undefined {
  const names = globalThis as {
    SpeechRecognition?: new () => Recognition
    webkitSpeechRecognition?: new () => Recognition
  }
  return names.SpeechRecognition ?? names.webkitSpeechRecognition
}

function lastOf(results: Results): string {
  const last = results[results.length - 1]
  return last?.isFinal ? (last[0]?.transcript.trim() ?? '') : ''
}
