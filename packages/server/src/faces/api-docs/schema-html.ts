import { escapeText } from '../../http/escape-text.ts'
import type { JsonSchema } from './json-schema.ts'

/** Of what is sent, what must be there is marked; of what is answered, what may be missing. */
export type Marks = { required: string } | { optional: string }
export type Field = { name: string; isRequired: boolean; schema: JsonSchema }

export function fieldsOf({ properties = {}, required = [] }: JsonSchema): Field[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => ({
    ...{ name, isRequired: (required as string[]).includes(name), schema },
  }))
}

export function fieldsHtml(fields: readonly Field[], marks: Marks): string {
  const rows = fields.map(({ name, isRequired, schema }) => {
    const { description } = schema
    const said = typeof description === 'string' ? `<br>${escapeText(description)}` : ''
    const mark = 'required' in marks ? isRequired && marks.required : !isRequired && marks.optional
    return `<tr><th scope="row"><code>${escapeText(name)}</code></th><td>${typeHtml(schema)}${mark ? ` <small>${mark}</small>` : ''}${said}</td></tr>`
  })
  return `<table>${rows.join('')}</table>`
}

/** In a few words, with a link to the record that it names. */
export function typeHtml(schema: JsonSchema): string {
  const { $ref, type, items, anyOf, oneOf, enum: values, const: value, additionalProperties } = schema
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!
    return `<a href="#${name}">${name}</a>`
  }
  const several = (anyOf ?? oneOf) as JsonSchema[] | undefined
  if (several) return [...new Set(several.map(typeHtml))].join(' | ')
  if (values) return (values as unknown[]).map(literalHtml).join(' | ')
  if (value !== undefined) return literalHtml(value)
  if (type === 'array') return listHtml(typeHtml((items ?? {}) as JsonSchema))
  if (type === 'object') {
    const inner = fieldsOf(schema).map(({ name, isRequired }) => escapeText(name) + (isRequired ? '' : '?'))
    if (inner.length > 0) return `{ ${inner.join(', ')} }`
    if (typeof additionalProperties === 'object' && Object.keys(additionalProperties!).length > 0)
      return `{ …: ${typeHtml(additionalProperties as JsonSchema)} }`
  }
  return escapeText(namesOf(type).join(' | ')) + limitsHtml(schema)
}

function namesOf(type: unknown): string[] {
  if (Array.isArray(type)) return type.map(String)
  return [typeof type === 'string' ? type : 'any']
}

function literalHtml(value: unknown): string {
  return `<code>${escapeText(JSON.stringify(value))}</code>`
}

function listHtml(item: string): string {
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`
}

function limitsHtml({ minLength, maxLength, minimum, maximum, default: usual }: JsonSchema): string {
  const [least, most] = [minLength ?? minimum, maxLength ?? maximum]
  const said = [
    ...(typeof least === 'number' ? [`≥ ${least}`] : []),
    ...(typeof most === 'number' ? [`≤ ${most}`] : []),
    ...(usual === undefined ? [] : [`= ${JSON.stringify(usual)}`]),
  ]
  return said.length === 0 ? '' : ` <small>${escapeText(said.join(', '))}</small>`
}
