import { escapeText } from '../../http/escape-text.ts'
import type { Language } from '../../words/language.ts'
import { API_STYLE } from './api-style.ts'
import { type ApiWords, WORDS } from './api-words.ts'
import { curlLine } from './curl-line.ts'
import type { ApiDescription, Content, Operation } from './describe-api.ts'
import type { JsonSchema } from './json-schema.ts'
import { type Field, fieldsHtml, fieldsOf, type Marks, typeHtml } from './schema-html.ts'

type Route = { path: string; method: string; operation: Operation }

/** The description for people: one page, without a script. */
export function apiPage(api: ApiDescription, language: Language): string {
  const words = WORDS[language]
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ path, method, operation })),
  )
  const tags = [...new Set(all.map(({ operation }) => operation.tags[0]!))].toSorted()
  const links = tags.map((tag) => `<a href="#${tag}">${tag}</a>`).join('\n')
  const parts = tags.map((tag) => {
    const own = all.filter(({ operation }) => operation.tags[0] === tag)
    return `<section><h2 id="${tag}">${tag}</h2>${own.map((route) => routeHtml(route, language)).join('\n')}</section>`
  })
  const records = Object.entries(api.components.schemas).map(([name, schema]) => recordHtml(name, schema, words))
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Parley API</title><link rel="icon" href="data:,">
<style>${API_STYLE}</style></head><body><nav aria-label="${words.subjects}">${links}
<a href="#records">${words.records}</a></nav><main>
<h1>Parley API <small>${escapeText(api.info.version)}</small></h1>
<p>${words.about} <a href="/api/openapi.json">openapi.json</a></p>
<p>${words.key} <code>Authorization: Bearer $PARLEY_KEY</code></p>
<p>${words.errors} <a href="#ErrorBody">ErrorBody</a></p>
<p>${words.strays}</p>
${parts.join('\n')}
<section><h2 id="records">${words.records}</h2>${records.join('\n')}</section></main></body></html>`
}

function routeHtml(route: Route, language: Language): string {
  const { path, method, operation } = route
  const words = WORDS[language]
  const summary = language === 'zh' ? operation['x-summary-zh'] : operation.summary
  const needs = words[(operation['x-needs'] ?? 'everybody') as keyof ApiWords]
  const [status, answer] = Object.entries(operation.responses)[0]!
  return `<details><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeText(path)}</code> <span>${escapeText(summary)}</span></summary>
<div id="${operation.operationId}"><p><small>${needs}</small></p><pre tabindex="0">${escapeText(curlLine(route))}</pre>
${queryHtml(operation, words)}${bodyHtml(operation, words)}
<h3>${words.answer} ${status}</h3>${answer.content ? contentHtml(answer.content, { optional: words.optional }) : `<p>${words.nothing}</p>`}</div></details>`
}

function queryHtml({ parameters, 'x-unknown-parameters': unknown }: Operation, words: ApiWords): string {
  const fields = parameters
    .filter((one) => one.in === 'query')
    .map(({ name, required, schema }): Field => ({ name, isRequired: required, schema }))
  if (fields.length === 0) return ''
  return `<h3>${words.query}${strictHtml(unknown === 'refused', words)}</h3>${fieldsHtml(fields, { required: words.required })}`
}

function bodyHtml({ requestBody }: Operation, words: ApiWords): string {
  if (!requestBody) return ''
  const { content } = requestBody
  const isStrict = Object.values(content).some(({ schema }) => schema['additionalProperties'] === false)
  return `<h3>${words.body}${strictHtml(isStrict, words)}</h3>${contentHtml(content, { required: words.required })}`
}

function strictHtml(isStrict: boolean, words: ApiWords): string {
  return isStrict ? ` <small>${words.strict}</small>` : ''
}

function contentHtml(content: Content, marks: Marks): string {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      const fields = fieldsOf(schema)
      if (fields.length > 0) return fieldsHtml(fields, marks)
      return `<p>${type === 'application/json' ? typeHtml(schema) : `<code>${escapeText(type)}</code>`}</p>`
    })
    .join('')
}

function recordHtml(name: string, schema: JsonSchema, words: ApiWords): string {
  const fields = fieldsOf(schema)
  const shown = fields.length > 0 ? fieldsHtml(fields, { optional: words.optional }) : `<p>${typeHtml(schema)}</p>`
  // A link to what is inside opens it.
  return `<details><summary><code>${name}</code></summary><div id="${name}">${shown}</div></details>`
}
