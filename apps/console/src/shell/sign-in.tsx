import { ParleyApiError } from '@parley/client'
import type { Catalogue } from '../texts/language.ts'
import { useWords } from '../texts/language.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Mark } from './mark.tsx'

const en = {
  title: 'Sign in',
  how: 'Open the link that the server printed when it started, or make a new one on its machine:',
  once: 'A link works once, within a day.',
  with: (name: string) => `Sign in with ${name}`,
  down: 'The server does not answer.',
  starting: 'It may be starting. This page looks again by itself; what was accepted is kept.',
  again: 'Try again',
}
const WORDS: Catalogue<typeof en> = {
  en,
  zh: {
    title: '登录',
    how: '打开服务器启动时打印的链接，或在它所在的机器上生成新的链接：',
    once: '链接只能用一次，一天内有效。',
    with: (name) => `用 ${name} 登录`,
    down: '服务器没有回应。',
    starting: '它可能正在启动。本页会自动重试；已接受的内容都在。',
    again: '再试一次',
  },
}
const COMMAND = 'npx parley sign-in-link'

/** Nobody is signed in, or nobody answers. Never a box for a password. */
export function SignIn({ error }: { error: unknown }) {
  const words = useWords(WORDS)
  const isRefused = error instanceof ParleyApiError && error.status === 401
  const provider = document.querySelector<HTMLMetaElement>('meta[name=parley-openid]')?.content
  if (!isRefused) setTimeout(() => location.reload(), 3_000)
  return (
    <main className="mx-auto flex min-h-full max-w-dialog flex-col justify-center gap-4 p-6">
      <Mark />
      <h1 className="text-26 font-semibold">{isRefused ? words.title : words.down}</h1>
      {isRefused ? (
        <>
          <p className="text-15 text-muted">{words.how}</p>
          <div className="flex items-center justify-between gap-2 rounded-card border border-line bg-surface p-2 pl-4">
            <code className="font-mono text-13">{COMMAND}</code>
            <CopyButton text={COMMAND} />
          </div>
          <p className="text-13 text-muted">{words.once}</p>
          {provider ? (
            <a
              href="/api/auth/oidc/login"
              className="inline-flex min-h-8 w-fit items-center rounded-control bg-accent px-3 text-13 font-medium text-on-accent max-md:min-h-11"
            >
              {words.with(provider)}
            </a>
          ) : null}
        </>
      ) : (
        <>
          <p className="text-15 text-muted">{words.starting}</p>
          <Button className="w-fit" onClick={() => location.reload()}>
            {words.again}
          </Button>
        </>
      )}
    </main>
  )
}
