import { useState } from 'react'
import { Icon } from '../controls/icon.tsx'
import { useKit } from '../kit/kit-context.ts'

/** Decorative: the name stands beside it as text. */
export function Avatar({ name, avatar, isUser }: { name: string; avatar: string; isUser: boolean }) {
  const Own = useKit().options.components.Avatar
  const [broken, setBroken] = useState<string>()
  if (Own) return <Own name={name} avatar={avatar} isUser={isUser} />
  const source = avatarSource(avatar)
  return (
    <span className="ck-avatar" data-user={isUser || undefined} aria-hidden="true">
      {source !== undefined && source !== broken ? (
        <img src={source} alt="" referrerPolicy="no-referrer" onError={() => setBroken(source)} />
      ) : isUser && /^\p{L}/u.test(name) ? (
        [...name][0]
      ) : (
        <Icon name={isUser ? 'user' : 'agent'} />
      )}
    </span>
  )
}

/** An address for an image element. An SVG document becomes one too: as an image it cannot run anything. */
export function avatarSource(avatar: string): string | undefined {
  const value = avatar.trim()
  if (/^https?:\/\//i.test(value) || /^data:image\/[\w.+-]+[;,]/i.test(value)) return value
  if (/^(?:<\?xml[^>]*>\s*)?<svg[\s>]/i.test(value))
    return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(value)}`
  return /^[A-Za-z0-9+/]{40,}={0,2}$/.test(value) ? `data:image/png;base64,${value}` : undefined
}
