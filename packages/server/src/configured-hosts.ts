import type { ServerConfig } from './config/options.ts'
import { hostOf, hostsInText } from './confirm/hosts-in-text.ts'
import { parseAddress } from './egress/address.ts'
import { hostList, nameOf } from './egress/host-list.ts'

/** Hosts that the operator names for models to choose, with any port: `egress.allow`, and what the system prompt speaks of. */
export function configuredHosts({ egress, systemPrompt: prompt = '' }: ServerConfig): (url: string) => boolean {
  const allowed = hostList(egress?.allow ?? [])
  const told = hostsInText(prompt)
  return (text) => {
    const host = hostOf(text)
    const url = host === undefined ? null : URL.parse(`http://${host}`)
    if (!url) return false
    const address = parseAddress(nameOf(url))
    return told.has(host!) || allowed.hasName(nameOf(url)) || (address !== undefined && allowed.hasAddress(address))
  }
}
