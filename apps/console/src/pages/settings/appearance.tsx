import { useState } from 'react'
import { mayNotify } from '../../data/live/notifications.ts'
import { prefer, type Preferences, usePreferences } from '../../data/preferences.ts'
import { showToast } from '../../shell/toasts.tsx'
import { areLettersOn, switchLetters } from '../../shell/use-shortcuts.ts'
import { keepLanguage, type Language, useLanguage, useWords } from '../../texts/language.ts'
import { chooseTheme, type ThemeChoice, useThemeChoice } from '../../theme/theme-choice.ts'
import { Switch } from '../../ui/field.tsx'
import { settingsWords } from './words.ts'

/** Each calls itself as its readers do. */
const LANGUAGES: Record<Language, string> = { en: 'English', zh: '中文' }
const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark']
const DENSITIES: readonly Preferences['density'][] = ['comfortable', 'compact']
const SEND_KEYS: readonly Preferences['send'][] = ['enter', 'ctrl+enter']

/** Counts at once. */
export function Appearance() {
  const words = useWords(settingsWords)
  const language = useLanguage()
  const theme = useThemeChoice()
  const [hasLetters, setLetters] = useState(areLettersOn)
  const { density, send, notify } = usePreferences()
  const choose = (change: Partial<Preferences>) => void prefer(change).catch((error: Error) => showToast(error.message))
  return (
    <>
      <Choices
        title={words.language}
        name="language"
        value={language}
        options={(Object.keys(LANGUAGES) as Language[]).map((one) => ({ value: one, label: LANGUAGES[one] }))}
        onChange={(one) => {
          keepLanguage(one)
          // Words are everywhere, also in what the server has said.
          location.reload()
        }}
      />
      <Choices
        title={words.theme}
        name="theme"
        value={theme}
        options={THEMES.map((one) => ({ value: one, label: words.themes[one] }))}
        onChange={chooseTheme}
      />
      <Choices
        title={words.density}
        name="density"
        value={density}
        options={DENSITIES.map((one) => ({ value: one, label: words.densities[one] }))}
        onChange={(one) => choose({ density: one })}
      />
      <Choices
        title={words.send}
        name="send"
        value={send}
        options={SEND_KEYS.map((one) => ({ value: one, label: words.sendKeys[one] }))}
        onChange={(one) => choose({ send: one })}
      />
      <Notify isOn={notify} onChange={(isOn) => choose({ notify: isOn })} />
      <div className="flex flex-col gap-1">
        <Switch
          label={words.letters}
          checked={hasLetters}
          onChange={({ target }) => {
            switchLetters(target.checked)
            setLetters(target.checked)
          }}
        />
        <p className="text-12 text-muted">{words.lettersHint}</p>
      </div>
      <p className="text-12 text-muted">{words.keptHere}</p>
    </>
  )
}

/** The browser is asked for leave by the switch and by nothing else. */
function Notify({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const words = useWords(settingsWords)
  const [isRefused, setRefused] = useState(false)
  const turn = async (wanted: boolean) => {
    const isAllowed = !wanted || (await Notification.requestPermission()) === 'granted'
    setRefused(!isAllowed)
    onChange(wanted && isAllowed)
  }
  if (!('Notification' in window)) return null
  return (
    <div className="flex flex-col gap-1">
      <Switch label={words.notify} checked={isOn && mayNotify()} onChange={({ target }) => void turn(target.checked)} />
      <p role="status" className="text-12 text-muted">
        {isRefused ? words.notifyRefused : words.notifyHint}
      </p>
    </div>
  )
}

type ChoicesProps<Value extends string> = {
  title: string
  name: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

function Choices<Value extends string>({ title, name, value, options, onChange }: ChoicesProps<Value>) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-14 font-semibold">{title}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className="flex min-h-8 items-center gap-2 rounded-control border border-line px-3 text-13 has-checked:border-accent has-checked:bg-accent-soft has-checked:text-on-accent-soft max-md:min-h-11"
          >
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              className="accent-current"
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
