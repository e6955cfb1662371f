import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export type AddressRange = [Address, number]

/** In public space, and yet answered by the cloud's own host: Azure's WireServer. */
const HOST_SERVICES = ['168.63.129.16']
/** Everything else that is called unicast carries an IPv4 address inside, or belongs to nobody. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/** An address as a resolver or a URL gives it, or nothing. A mapped one (`::ffff:…`) is the IPv4 address it maps. */
export function parseAddress(text: string): Address | undefined {
  const bare = text.startsWith('[') ? text.slice(1, -1) : text
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}

/** True for public unicast alone: no loopback, private, link-local, shared, reserved or translated address. */
export function isPublicAddress(address: Address): boolean {
  if (address.range() !== 'unicast' || HOST_SERVICES.includes(address.toString())) return false
  return address.kind() === 'ipv4' || isInRange(address, GLOBAL_UNICAST)
}

export function isInRange(address: Address, [base, bits]: AddressRange): boolean {
  return address.kind() === base.kind() && address.match(base, bits)
}

/** `10.0.0.0/8`, or one address as a range of its own. */
export function parseRange(text: string): AddressRange | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  const address = parseAddress(text)
  return address && [address, address.toByteArray().length * 8]
}
