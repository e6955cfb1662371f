import { type Address, type AddressRange, isInRange, parseRange } from './address.ts'

/** Hosts by name and by address, as an operator lists them. */
export type HostList = { hasName: (name: string) => boolean; hasAddress: (address: Address) => boolean }

/**
 * Entries are `docs.example.com` (that name alone), `*.example.com` (every name below it), `10.1.2.3`, `fd00::1` or
 * ranges such as `10.0.0.0/8`. Throws on anything else: an entry that matches nothing would only look like a rule.
 */
export function hostList(entries: readonly string[]): HostList {
  const names = new Set<string>()
  const parents: string[] = []
  const ranges: AddressRange[] = []
  for (const entry of entries) {
    const range = parseRange(entry)
    if (range) ranges.push(range)
    else if (entry.startsWith('*.')) parents.push(`.${nameIn(entry, entry.slice(2))}`)
    else names.add(nameIn(entry, entry))
  }
  return {
    hasName: (name) => names.has(name) || parents.some((parent) => name.endsWith(parent)),
    hasAddress: (address) => ranges.some((range) => isInRange(address, range)),
  }
}

/** A host name as it is compared: in lower case, in ASCII, without the dot at the end. */
export function nameOf(url: URL): string {
  return url.hostname.replace(/\.$/, '')
}

function nameIn(entry: string, host: string): string {
  const url = /[/:@?#*\s]/.test(host) ? null : URL.parse(`http://${host}`)
  if (!url) throw new Error(`${JSON.stringify(entry)} is no host. Write docs.example.com, *.example.com or 10.0.0.0/8.`)
  return nameOf(url)
}
