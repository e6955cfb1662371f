export type ContentKind = 'html' | 'text' | 'binary'

const TEXT_TYPES =
  /^(text\/.+|application\/(json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|sql|graphql|x-sh)|.+\+(json|xml|yaml))$/

/** The type without its parameters, in lower case; empty when the server does not say. */
export function typeOf(headers: Pick<Headers, 'get'>): string {
  return (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
}

/** What a model can be given of a type. One that is not given counts as text until its bytes tell otherwise. */
export function contentKind(type: string): ContentKind {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  return type === '' || TEXT_TYPES.test(type) ? 'text' : 'binary'
}
