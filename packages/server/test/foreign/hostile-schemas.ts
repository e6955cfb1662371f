/** Schemas that somebody wrote to keep whoever uses them busy, each with a value that does it. */
export type HostileSchema = { schema: object; value: unknown }

const evil = `${'a'.repeat(40)}!`
const text = (pattern: string): object => ({ type: 'object', properties: { t: { type: 'string', pattern } } })

/** Every level asks for the next one twice: 2^40 checks of one value. */
function doubled(keyword: string, last: object): object {
  const $defs: Record<string, object> = { d40: last }
  for (let level = 0; level < 40; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` }
    $defs[`d${level}`] = { [keyword]: [next, { ...next, title: 'again' }] }
  }
  return { type: 'object', $defs, properties: { t: { $ref: '#/$defs/d0' } } }
}

const objects = Array.from({ length: 20_000 }, (_, index) => ({ index, a: 1, b: [1, 2, 3] }))
const list = (items: object): object => ({ type: 'object', properties: { t: { type: 'array', ...items } } })

export const HOSTILE: Record<string, HostileSchema> = {
  'a pattern of nested repeats': { schema: text('^(a+)+$'), value: { t: evil } },
  'a pattern of equal alternatives': { schema: text('^(a|a)*$'), value: { t: evil } },
  'a pattern of many wildcards': { schema: text('(.*a){25}x'), value: { t: 'a'.repeat(60) } },
  'a pattern that looks back': { schema: text('^(a*)*\\1b$'), value: { t: evil } },
  'a pattern on a long text': { schema: text('(x+x+)+y'), value: { t: 'x'.repeat(50_000) } },
  'a pattern of keys': {
    schema: { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } } },
    value: { [evil]: 1 },
  },
  'a pattern of names': {
    schema: { type: 'object', propertyNames: { pattern: '^(a+)+$' } },
    value: { [evil]: 1 },
  },
  'a pattern among items': { schema: list({ contains: { pattern: '^(a+)+$' } }), value: { t: [evil] } },
  'unique items of thousands': { schema: list({ uniqueItems: true }), value: { t: objects } },
  'a choice of thousands': {
    schema: list({ items: { enum: Array.from({ length: 2_000 }, (_, index) => ({ index })) } }),
    value: { t: objects },
  },
  'a schema that is itself': { schema: { type: 'object', $ref: '#' }, value: {} },
  'two that are each other': {
    schema: { type: 'object', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    value: {},
  },
  'a dynamic one that is itself': {
    schema: { type: 'object', $dynamicAnchor: 'n', allOf: [{ $dynamicRef: '#n' }] },
    value: {},
  },
  'doubled allOf': { schema: doubled('allOf', { type: 'string' }), value: { t: 'x' } },
  'doubled anyOf': { schema: doubled('anyOf', { type: 'number' }), value: { t: 'x' } },
  'doubled oneOf': { schema: doubled('oneOf', { type: 'string' }), value: { t: 'x' } },
  'a promise': { schema: { $async: true, type: 'object', required: ['never'] }, value: {} },
  'a draft-07 pattern': {
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...text('^(a+)+$') },
    value: { t: evil },
  },
  'a thousand required names': {
    schema: { type: 'object', required: Array.from({ length: 4_000 }, (_, index) => `name${index}`) },
    value: {},
  },
  'many refs to one large part': {
    schema: {
      type: 'object',
      $defs: { big: { enum: Array.from({ length: 3_000 }, (_, index) => index) } },
      anyOf: Array.from({ length: 800 }, () => ({ $ref: '#/$defs/big' })),
    },
    value: {},
  },
}
