/** A JSON Schema of an object; written `as const`, its values have a type. */
export type JsonSchema = { readonly type: 'object'; readonly properties?: { readonly [name: string]: unknown } }

/** The type of what fits a JSON Schema, for the words that people write by hand; `unknown` for all others. */
export type ValueOf<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Option)[] }
      ? ValueOf<Option>
      : S extends { readonly type: 'object' }
        ? ObjectOf<S>
        : S extends { readonly type: 'array'; readonly items: infer Item }
          ? ValueOf<Item>[]
          : S extends { readonly type: keyof Plain }
            ? Plain[S['type']]
            : unknown

type Plain = { string: string; number: number; integer: number; boolean: boolean; null: null; array: unknown[] }

type ObjectOf<S> = S extends { readonly properties: infer Properties }
  ? { [Name in keyof Properties as Name extends RequiredIn<S> ? Name : never]: ValueOf<Properties[Name]> } & {
      [Name in keyof Properties as Name extends RequiredIn<S> ? never : Name]?: ValueOf<Properties[Name]>
    }
  : { [name: string]: unknown }

type RequiredIn<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never
