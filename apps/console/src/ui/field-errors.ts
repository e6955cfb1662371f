import { ParleyApiError } from '@parley/client'

type Told = { errors?: { loc?: (string | number)[]; msg?: string }[]; field?: string }

/** The server's sentences about fields, by the field's name. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ParleyApiError)) return {}
  const { errors = [], field } = error.body as Told
  const named = errors.flatMap(({ loc, msg }) =>
    loc?.[0] !== undefined && msg ? [[String(loc[0]), msg] as const] : [],
  )
  const one = field === undefined ? [] : [[field, error.detail.replace(`${field}: `, '')] as const]
  return Object.fromEntries([...named, ...one])
}
