import type { Language } from '../../words/language.ts'

export const WORDS = {
  en: {
    about: 'Every route of this server, as it checks requests and as it answers. The same for programs:',
    key: 'Send an API key along:',
    errors: 'Every refusal is an',
    strays:
      'Fields that a route does not know are ignored, and named in its answer; where it says “no others”, they are refused.',
    subjects: 'Routes',
    query: 'Parameters',
    body: 'Body',
    answer: 'Answer',
    required: 'required',
    optional: 'may be missing',
    strict: 'no others',
    nothing: 'Nothing.',
    records: 'Records',
    everybody: 'Open to everybody',
    owner: 'For owners',
    account: 'For people of the server',
    chat: 'Also for visitors: chat',
    files: 'Also for visitors: files',
    decide: 'Also for visitors: decide',
  },
  zh: {
    about: '本服务器的全部接口：请求如何校验，响应是什么结构。供程序读取：',
    key: '请求须携带 API 密钥：',
    errors: '所有错误响应均为',
    strays: '接口不认识的字段会被忽略，并在响应中列出；标有“不接受其他字段”的则会拒绝。',
    subjects: '接口',
    query: '参数',
    body: '请求体',
    answer: '响应',
    required: '必填',
    optional: '可能缺省',
    strict: '不接受其他字段',
    nothing: '无内容。',
    records: '数据结构',
    everybody: '无需登录',
    owner: '仅限所有者',
    account: '仅限本服务器的用户',
    chat: '访客亦可：chat',
    files: '访客亦可：files',
    decide: '访客亦可：decide',
  },
} satisfies Record<Language, Record<string, string>>

export type ApiWords = (typeof WORDS)[Language]
