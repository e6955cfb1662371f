/** A fresh `client_message_id`. Not `randomUUID`: browsers have that only on secure pages. */
export function newClientMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `cm_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
