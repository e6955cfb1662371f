import type { FailureReason } from '../../model/chat-kit-error.ts'

type Words = Record<FailureReason, string>

const en: Words = {
  no_token: 'This chat has not been set up completely. Please tell the owner of this page.',
  token_refused: 'The chat could not sign you in. Please tell the owner of this page.',
  token_expired: 'Your sign-in has expired. Please reload the page or sign in again.',
  origin_refused: 'The chat is not available on this page. Please tell its owner.',
  unreachable: 'The chat server cannot be reached right now. Please try again in a moment.',
}

const zh: Words = {
  no_token: '聊天功能尚未配置完成，请联系网站管理员。',
  token_refused: '聊天登录失败，请联系网站管理员。',
  token_expired: '登录已过期，请刷新页面或重新登录。',
  origin_refused: '此页面暂时不能使用聊天，请联系网站管理员。',
  unreachable: '暂时无法连接聊天服务器，请稍后再试。',
}

/** For the visitor: plain words, and nothing that only a developer can do anything about. */
export function failureWords(locale: string): Words {
  return /^zh\b/i.test(locale) ? zh : en
}

export const noTokenAdvice = (server: string): string =>
  `The chat has no token for ${server}. Give the script tag data-token-url, <parley-chat> token-url or getToken, or <ChatKit> token and refreshToken.`

/** For whoever put the chat on the page: what to do. */
export const developerWords: Record<FailureReason, (server: string, page: string) => string> = {
  no_token: noTokenAdvice,
  token_refused: (server) =>
    `${server} does not accept the token. It takes API keys of its own, and tokens that POST /api/auth/tokens gave for one of them.`,
  token_expired: (server) =>
    `${server} no longer accepts the token, and no newer one was given. Let data-token-url, token-url, getToken or refreshToken make a fresh one each time.`,
  origin_refused: (server, page) =>
    `${server} refuses pages of ${page}. Start it with PARLEY_ALLOWED_ORIGINS=${page} (a comma list), and with PARLEY_PUBLIC_URL=${server} if it is reached under that name.`,
  unreachable: (server) =>
    `${server} cannot be reached. Is Parley running there, may this page connect to it (connect-src of its policy), and are both https?`,
}
