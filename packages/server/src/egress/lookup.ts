import { lookup as lookupName } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { EgressError } from './egress-error.ts'
import type { EgressPolicy, Trust } from './policy.ts'

/** Every address of a name. Default: as the operating system resolves it. */
export type Resolve = (name: string) => Promise<{ address: string; family: number }[]>

export const resolveByHost: Resolve = (name) => lookupName(name, { all: true })

/**
 * Pins DNS: a socket asks here once, and connects to what was checked, not to what a second answer would say. Sockets do
 * not ask for hosts that are addresses already; those are `checkUrl`'s.
 */
export function checkedLookup(policy: EgressPolicy, resolve: Resolve, trust: Trust): LookupFunction {
  return (name, options, callback) => {
    const answer = async () => {
      const found = await resolve(name)
      if (found.length === 0) throw new EgressError('not_found', `${name} has no address.`)
      const addresses = found.map(({ address }) => address)
      policy.checkAddresses(name.replace(/\.$/, ''), addresses, trust)
      return found
    }
    answer().then(
      (found) => (options.all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}
