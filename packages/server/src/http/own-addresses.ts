import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'

export type OwnAddresses = {
  /** For programs and browsers of this machine. */
  url: string
  /** Where other machines find it, when it listens on every interface; `null` when it does not. */
  elsewhere: string[] | null
}

const EVERYWHERE = ['0.0.0.0', '::']

/** Where a server that listens can be asked. `0.0.0.0` and `::` stand for every interface and are no place to go to. */
export function ownAddresses(
  { address, family, port }: AddressInfo,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): OwnAddresses {
  if (!EVERYWHERE.includes(address)) return { url: urlOf(address, family, port), elsewhere: null }
  const open = Object.values(interfaces)
    .flatMap((list) => list ?? [])
    // Link-local ones only mean something together with the name of an interface.
    .filter((one) => !one.internal && !one.address.startsWith('fe80:'))
    .filter((one) => address === '::' || one.family === 'IPv4')
  return { url: `http://localhost:${port}`, elsewhere: open.map((one) => urlOf(one.address, one.family, port)) }
}

function urlOf(address: string, family: string, port: number): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
