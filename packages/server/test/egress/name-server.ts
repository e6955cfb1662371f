import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Resolve } from '../../src/egress/lookup.ts'

/** A name server on a real port. Of every name it gives these addresses, one list after the other, the last for ever. */
export async function startNameServer(lists: string[][]) {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (query, { port, address }) => {
    const isIpv6 = query.readUInt16BE(query.length - 4) === 28 || questionType(query) === 28
    const list = lists[Math.min(isIpv6 ? asked - 1 : asked++, lists.length - 1)] ?? []
    const found = list.filter((one) => one.includes(':') === isIpv6)
    socket.send(reply(query, found), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`])
  const resolve: Resolve = async (name) => {
    const four = await resolver.resolve4(name)
    const six = await resolver.resolve6(name).catch(() => [])
    return [...six.map((address) => ({ address, family: 6 })), ...four.map((address) => ({ address, family: 4 }))]
  }
  return {
    resolve,
    /** How often a name was looked up. */
    get asked() {
      return asked
    },
    async [Symbol.asyncDispose]() {
      resolver.cancel()
      socket.close()
      await once(socket, 'close')
    },
  }
}

function questionEnd(query: Buffer): number {
  let at = 12
  while (query[at] !== 0) at += query[at]! + 1
  return at + 5
}

function questionType(query: Buffer): number {
  return query.readUInt16BE(questionEnd(query) - 4)
}

/** The question again, and one record per address, to be kept for no time at all. */
function reply(query: Buffer, addresses: string[]): Buffer {
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((address) => {
    const data = address.includes(':')
      ? Buffer.from([...Array(15).fill(0), 1])
      : Buffer.from(address.split('.').map(Number))
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(data.length === 4 ? 1 : 28, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(0, 6)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([head, query.subarray(12, questionEnd(query)), ...records])
}
