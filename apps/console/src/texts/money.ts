import { useMemo } from 'react'
import { LOCALES } from './format.ts'
import { type Language, useLanguage } from './language.ts'

export type Money = (value: number, currency: string) => string

/** Sums of money; small ones keep the digits that say how small. */
export function useMoney(): Money {
  const language = useLanguage()
  return useMemo(() => moneyIn(language), [language])
}

function moneyIn(language: Language): Money {
  return (value, currency) => {
    const digits = value === 0 || Math.abs(value) >= 0.1 ? undefined : Math.abs(value) < 0.001 ? 6 : 4
    return new Intl.NumberFormat(LOCALES[language], {
      ...{ style: 'currency', currency, currencyDisplay: 'narrowSymbol' },
      ...(digits && { maximumFractionDigits: digits }),
    }).format(value)
  }
}
