/** What a structured result must look like: a JSON Schema, or a schema of zod 4 or another library of that standard. */
export type OutputSchema = JsonSchema | StandardSchema

export type JsonSchema = { readonly [keyword: string]: unknown }

/** The parts we use of https://standardschema.dev: its types, its check and its JSON Schema. */
export type StandardSchema<Output = unknown> = {
  readonly '~standard': {
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly validate: (value: unknown) => Validated | Promise<Validated>
    readonly jsonSchema: { readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown> }
  }
}

type Validated =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/** What a result is that satisfies the schema; `unknown` where the schema does not tell. */
export type OutputOf<Schema> =
  Schema extends StandardSchema<infer Output>
    ? Output
    : Schema extends { readonly const: infer Value }
      ? Value
      : Schema extends { readonly enum: readonly (infer Value)[] }
        ? Value
        : Schema extends { readonly anyOf: readonly (infer Member)[] } | { readonly oneOf: readonly (infer Member)[] }
          ? OutputOf<Member>
          : Schema extends { readonly type: readonly (infer Type)[] }
            ? Type extends string
              ? OutputOfType<Omit<Schema, 'type'> & { readonly type: Type }, Type>
              : unknown
            : Schema extends { readonly type: infer Type }
              ? OutputOfType<Schema, Type>
              : unknown

type OutputOfType<Schema, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Items }
            ? OutputOf<Items>[]
            : unknown[]
          : Type extends 'object'
            ? Schema extends { readonly properties: infer Properties }
              ? ObjectOf<Properties, Schema extends { readonly required: readonly (infer Name)[] } ? Name : never>
              : Record<string, unknown>
            : unknown

type ObjectOf<Properties, Required> = Flat<
  { -readonly [Name in keyof Properties as Name extends Required ? Name : never]: OutputOf<Properties[Name]> } & {
    -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: OutputOf<Properties[Name]>
  }
>

type Flat<T> = { [Key in keyof T]: T[Key] }

/** As the server takes it. */
export function jsonSchemaOf(schema: OutputSchema): Record<string, unknown> {
  return isStandard(schema) ? schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) : schema
}

/** The result as the caller's schema reads it, with its defaults and changes; `issues` when it refuses. */
export async function readOutput(schema: OutputSchema, output: unknown): Promise<Validated> {
  return isStandard(schema) ? schema['~standard'].validate(output) : { value: output }
}

function isStandard(schema: OutputSchema): schema is StandardSchema {
  return typeof (schema as Partial<StandardSchema>)['~standard']?.validate === 'function'
}
