import type { Catalogue } from '../texts/language.ts'

type Words = Record<'loading' | 'forbidden' | 'gone' | 'back' | 'unreachable' | 'broken' | 'again' | 'details', string>

export const stateWords: Catalogue<Words> = {
  en: {
    loading: 'Loading',
    forbidden: 'Only the owner of this server can see this.',
    gone: 'This was deleted, or it is not yours.',
    back: 'To your sessions',
    unreachable: 'The server did not answer. What it accepted is kept.',
    broken: 'The server could not answer this. Nothing was changed.',
    again: 'Try again',
    details: 'Details',
  },
  zh: {
    loading: '正在读取',
    forbidden: '只有服务器的所有者能看到这里。',
    gone: '已被删除，或不属于你。',
    back: '回到会话',
    unreachable: '服务器没有回应。已接受的内容都在。',
    broken: '服务器没能回答这个请求，没有改动任何内容。',
    again: '再试一次',
    details: '详情',
  },
}
