import { createHash } from 'node:crypto'

/** What a memory belongs to; the same words about something else are another memory. */
export type Labels = {
  skill_name: string | null
  record_type: string | null
  scope: string | null
  owner: string | null
}

/** As texts are searched: one way of writing, one case, single spaces. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}

/** The same for two memories that differ in nothing but case, width, spaces, punctuation, or in how one was asked to remember. */
export function fingerprintOf(content: string, { skill_name, record_type, scope, owner }: Labels): string {
  const words = withoutRequest(fold(content)).replace(/[^\p{L}\p{N}\p{S}]+/gu, '')
  // Of a text without a letter all is meant.
  const said = words === '' ? fold(content) : words
  return createHash('sha256')
    .update(JSON.stringify([said, skill_name, record_type === 'skill_comment', scope, owner]))
    .digest('hex')
}

/** Models pass on how they were asked: "please remember that I like tea" says that I like tea. */
export function withoutRequest(folded: string): string {
  return folded.replace(REQUEST, '').trim() || folded
}

const REQUEST =
  /^(?:(?:please |pls )?(?:remember|note|keep in mind|don't forget)(?: that\b|:|,)? ?|(?:请|麻烦)?(?:你)?(?:帮我)?(?:记住|记得|记下|记一下|别忘了)[：:，,]? ?)/u
