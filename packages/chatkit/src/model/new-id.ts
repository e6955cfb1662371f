/** Unguessable and unique, also on pages without a secure context, where `randomUUID` is missing. */
export function newID(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `${prefix}_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
