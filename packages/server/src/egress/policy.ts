import { isPublicAddress, parseAddress } from './address.ts'
import { EgressError } from './egress-error.ts'
import { hostList, nameOf } from './host-list.ts'

/** Who picked the address: a model (or something it read), or the operator in the configuration. */
export type Trust = 'chosen' | 'configured'

export type EgressPolicyOptions = { allow?: readonly string[]; deny?: readonly string[]; ports?: readonly number[] }

/** The rules alone: no request is made here. Every method throws an `EgressError` for what may not be. */
export type EgressPolicy = {
  /** What the text of a URL already tells. Returns it parsed, its host in one spelling. */
  checkUrl: (url: string | URL, trust: Trust) => URL
  /** What its host stands for. One bad address among good ones refuses them all: nobody knows which would be taken. */
  checkAddresses: (name: string, addresses: readonly string[], trust: Trust) => void
}

const WEB_PORTS = [80, 443]
const FIRST_USER_PORT = 1024

export function createEgressPolicy({ allow = [], deny = [], ports }: EgressPolicyOptions): EgressPolicy {
  const allowed = hostList(allow)
  const denied = hostList(deny)
  const isOpen = (port: number) => (ports ? ports.includes(port) : WEB_PORTS.includes(port) || port >= FIRST_USER_PORT)

  const checkAddresses: EgressPolicy['checkAddresses'] = (name, addresses, trust) => {
    for (const text of addresses) {
      const address = parseAddress(text)
      const where = text === name ? name : `${name} (${text})`
      if (!address) throw new EgressError('refused_host', `${where} is no address that can be checked.`)
      if (denied.hasAddress(address)) throw deniedByList(where)
      if (trust === 'configured' || allowed.hasName(name) || allowed.hasAddress(address)) continue
      if (!isPublicAddress(address)) throw notPublic(where)
    }
  }

  return {
    checkAddresses,
    checkUrl(given, trust) {
      const url = URL.parse(String(given))
      if (!url)
        throw new EgressError('refused_url', `${JSON.stringify(withoutUser(String(given)))} is not a valid URL.`)
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        throw new EgressError('refused_url', `Only http and https addresses can be asked, not ${url.protocol}`)
      if (url.username || url.password)
        throw new EgressError(
          'refused_url',
          `The address of ${url.host} carries a user name or password; leave it out.`,
        )
      const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
      if (trust === 'chosen' && !isOpen(port))
        throw new EgressError('refused_url', `Port ${port} of ${url.hostname} may not be asked.`)

      // The parser has already turned decimal, hex, octal and short forms into the usual one.
      const name = nameOf(url)
      if (denied.hasName(name)) throw deniedByList(name)
      if (parseAddress(name)) checkAddresses(name, [name], trust)
      else if (trust === 'chosen' && isLoopbackName(name) && !allowed.hasName(name)) throw notPublic(name)
      return url
    },
  }
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^/]*@/, '//').slice(0, 200)
}

/** By its name, whatever a resolver says of it. */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

function notPublic(where: string): EgressError {
  return new EgressError('refused_host', `${where} is not on the public internet, so it is not asked.`, {
    option: 'egress.allow',
  })
}

function deniedByList(where: string): EgressError {
  return new EgressError('refused_host', `${where} is denied by the configuration of this server.`, {
    option: 'egress.deny',
  })
}
