import { parseBoundedJson } from '@parley/protocol/wire'
import { hostsInText } from '../confirm/hosts-in-text.ts'

const MAX_SUGGESTIONS = 3
const MAX_CHARACTERS = 120

const BULLET = /^(?:[-*•·>#]+|\(?\d{1,2}[.):、．）])\s*/u
const QUOTES = /^["'“”‘’「『]+|["'“”‘’」』]+$/gu
/** A tag, a link or code: nothing that a person types into a chat. */
const MARKUP = /<[a-z/!?]|\]\(|`/i
/** "Here are three questions:" */
const HEADING = /[:：]$/u

/**
 * What a model's answer proposes: plain texts, one a line or as a JSON list. It is data: bounded, without markup, and
 * without an address, because a click makes it the user's own words, and hosts that the user names may be asked.
 */
export function readSuggestions(answer: string): string[] {
  const text = answer.replace(/<think>[\s\S]*?(?:<\/think>|$)/gi, '')
  const lines = jsonList(text) ?? text.split('\n')
  return [...new Set(lines.map(plain).filter(isFit))].slice(0, MAX_SUGGESTIONS)
}

function jsonList(text: string): string[] | undefined {
  const list = parseBoundedJson(text.slice(text.indexOf('['), text.lastIndexOf(']') + 1))
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : undefined
}

function plain(line: string): string {
  const words = line.replace(/\p{C}/gu, ' ').replace(/\s+/gu, ' ').trim()
  return words.replace(BULLET, '').replaceAll('**', '').trim().replace(QUOTES, '').trim()
}

function isFit(text: string): boolean {
  if (text === '' || text.length > MAX_CHARACTERS || MARKUP.test(text) || HEADING.test(text)) return false
  return hostsInText(text).size === 0 && !/:\/\//.test(text)
}
