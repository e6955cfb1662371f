/** A longer text is a document, not somebody's words: what comes after this names nothing. */
const MAX_CHARACTERS = 100_000
const MAX_HOSTS = 1_000

/** A scheme, and everything up to where its address must end. */
const URLS = /(https?):\/\/[^\s<>"]+/gi
/** The part between the slashes. Text around an address is full of brackets and stops, no host is. */
const AUTHORITY =
  /^https?:\/\/(\[[0-9a-f:.]+\](?::\d+)?|[^\s/?#\\<>"'`()[\]{}|^*,;!，。；：！？、（）《》【】「」『』“”‘’…]+)/iu
const BARE_NAME = /^(?:[a-z0-9-]{1,63}\.){1,10}[a-z][a-z0-9-]{1,62}(?::\d{1,5})?$/i
/** Where no space stands between words, an address ends at the next word. */
const NEXT_WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
/** `notes.md` is a file, and also a host in Moldova. With one of these endings only a whole URL names a host. */
const FILE_ENDINGS = new Set(['md', 'py', 'sh', 'rs', 'pl', 'so', 'ps', 'cc', 'mk', 'zip', 'mov', 'pub', 'tf', 'st'])

/**
 * The hosts that a text names, as `hostOf` spells them: that of every http(s) URL, and every bare name such as
 * `docs.example.com:8080/guide`. Nothing else does: no address with a user name in it (`https://good.com@evil.com`), no
 * mail address, nothing inside the path or query of a URL, no bare IP address (`1.2.3.4` is a version). A name stands for
 * itself alone, not for the names below it.
 */
export function hostsInText(text: string): Set<string> {
  const words = text.slice(0, MAX_CHARACTERS)
  const hosts = new Set<string>()
  const add = (host: string | undefined) => {
    if (host !== undefined && hosts.size < MAX_HOSTS) hosts.add(host)
  }
  const others = words.replace(URLS, (url, scheme: string) => {
    for (const authority of authoritiesIn(url)) add(hostOf(`${scheme}://${authority}`))
    return ' '
  })
  for (const token of others.split(/[^\w.:@/%~-]+/)) {
    const [name = ''] = trimmed(token).split('/', 1)
    if (BARE_NAME.test(trimmed(name)) && !isFile(name)) add(hostOf(`https://${trimmed(name)}`))
  }
  return hosts
}

/**
 * The host of an http(s) URL with its port, in one spelling: lower case, ASCII, no dot at the end, no usual port;
 * addresses in their usual form. Nothing for what is no such URL, or carries a user name.
 */
export function hostOf(url: string): string | undefined {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) return undefined
  const name = parsed.hostname.replace(/\.$/, '')
  return name && (parsed.port ? `${name}:${parsed.port}` : name)
}

function authoritiesIn(url: string): string[] {
  const authority = trimmed(AUTHORITY.exec(url)?.[1] ?? '')
  if (authority === '' || authority.includes('@')) return []
  const before = trimmed(authority.slice(0, Math.max(0, authority.search(NEXT_WORD))))
  return BARE_NAME.test(before) ? [authority, before] : [authority]
}

function isFile(name: string): boolean {
  return FILE_ENDINGS.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase())
}

function trimmed(text: string): string {
  return text.replace(/^[.:_~-]+|[.:_~-]+$/g, '')
}
