import { useState } from 'react'
import { areLettersOn, switchLetters } from '../../shell/use-shortcuts.ts'
import { keepLanguage, type Language, useLanguage, useWords } from '../../texts/language.ts'
import { chooseTheme, type ThemeChoice, useThemeChoice } from '../../theme/theme-choice.ts'
import { Switch } from '../../ui/field.tsx'
import { settingsWords } from './words.ts'

/** Each calls itself as its readers do. */
const LANGUAGES: Record<Language, string> = { en: 'English', zh: '中文' }
const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark']

/** Counts at once. */
export function Appearance() {
  const words = useWords(settingsWords)
  const language = useLanguage()
  const theme = useThemeChoice()
  const [hasLetters, setLetters] = useState(areLettersOn)
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
