import { ERROR_STATUS } from '@parley/protocol/wire'
import { isErrorCode } from '@parley/protocol'
import { isForOperators, reword } from './phrase-book.ts'
import { say } from './phrases.ts'
import type { Reader } from './reader.ts'

const HAN = /\p{Script=Han}/u

/**
 * An error's sentence for this reader. What went wrong on the server's side is nothing for visitors, whatever it says.
 * A detail that has no translation follows its code's sentence: it is for whoever writes programs.
 */
export function errorWords(code: unknown, message: string, { language, audience }: Reader): string {
  const known = isErrorCode(code) ? code : undefined
  if (
    audience === 'visitor' &&
    (known === undefined || ERROR_STATUS[known] >= 500 || isForOperators(message, 'failure'))
  )
    return say(`error.${known ?? 'internal_error'}`, language)
  const said = reword(message, 'failure', language)
  if (said !== undefined) return said
  if (language === 'en' || HAN.test(message) || known === undefined) return message
  const sentence = say(`error.${known}`, language)
  return message === '' ? sentence : `${sentence.replace(/。$/, '')}：${message}`
}

/** `code: message`, as a failed turn has it. A mark alone, such as `server_stopped`, stays as it is. */
export function failureWords(reason: string, reader: Reader): string {
  const [, code, message] = /^([a-z_]+): (.*)$/s.exec(reason) ?? []
  return code === undefined || message === undefined ? reason : `${code}: ${errorWords(code, message, reader)}`
}
