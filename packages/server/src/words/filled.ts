export type Values = Readonly<Record<string, string | number>>

/** A sentence with its gaps filled; `{name}` stands for what changes. */
export function filled(template: string, values: Values): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}
