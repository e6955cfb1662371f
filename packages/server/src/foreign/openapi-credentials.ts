import type { JsonValue } from '../ports.ts'
import { isObject, textAt } from './openapi-values.ts'

/** How a call of an operation proves who asks; the value is that of a variable of the session. */
export type Credential = { kind: 'bearer' | 'basic' | 'header' | 'query'; name: string; variable: string }

/** What a header's name may be. */
export const HEADER = /^[A-Za-z0-9-]{1,100}$/

/** `undefined`: none that can be sent. */
export function credentialOf(name: string, scheme: JsonValue | undefined): Credential | undefined {
  if (!isObject(scheme)) return undefined
  const said = scheme['x-env']
  const variable =
    typeof said === 'string'
      ? said
      : name
          .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
          .replaceAll(/\W+/g, '_')
          .toUpperCase()
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) return undefined
  const { type, in: place } = scheme
  const http = textAt(scheme, 'scheme').toLowerCase()
  if (type === 'oauth2' || type === 'openIdConnect' || (type === 'http' && http === 'bearer'))
    return { kind: 'bearer', name: 'authorization', variable }
  if (type === 'http' && http === 'basic') return { kind: 'basic', name: 'authorization', variable }
  const key = textAt(scheme, 'name')
  if (type !== 'apiKey' || (place !== 'header' && place !== 'query')) return undefined
  if (place === 'header' && (!HEADER.test(key) || /^(?:host|content-.*|connection|cookie)$/i.test(key)))
    return undefined
  return { kind: place, name: key, variable }
}
