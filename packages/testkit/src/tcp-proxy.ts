import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type TcpProxy = AsyncDisposable & {
  port: number
  /** Ends every connection at once, or only those that opened with `saying` among their first words. */
  cut(saying?: string): void
  /** From now on nothing passes on the connections there are, and nobody is told; new ones work. */
  silence(): void
  /** Refuses new connections, or takes them again. */
  refuse(refused: boolean): void
  /**
   * Forwards the next request that contains `text`, swallows the answer to it, and ends that connection. Resolves when
   * that has happened.
   */
  swallowAnswerTo(text: string): Promise<void>
  /** Keeps back the answer to the next request that contains `text`. Resolves when it is there, with what lets it go. */
  holdAnswerTo(text: string): Promise<() => void>
  /** The next requests that contain `text` never reach the server: their connection ends instead. */
  dropRequest(text: string, times?: number): void
}

type Link = { client: Socket; server: Socket; firstWords: string; isSilent: boolean }

const FIRST_WORDS = 4_096

/** Stands between a client and a server, and breaks what lies between them in the ways networks do. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const links = new Set<Link>()
  let refused = false
  let swallow: { text: string; done: () => void } | undefined
  let hold: { text: string; held: (release: () => void) => void } | undefined
  let drop = { text: '', times: 0 }

  const end = (link: Link) => {
    links.delete(link)
    link.client.destroy()
    link.server.destroy()
  }

  const listener = createServer((client) => {
    if (refused) return void client.destroy()
    const server = connect(target.port, target.host)
    const link: Link = { client, server, firstWords: '', isSilent: false }
    let swallowed: (() => void) | undefined
    let held: ((release: () => void) => void) | undefined
    links.add(link)
    client.on('data', (chunk) => {
      if (link.isSilent) return
      if (link.firstWords.length < FIRST_WORDS) link.firstWords += chunk.toString('latin1')
      if (drop.times > 0 && chunk.includes(drop.text)) {
        drop.times -= 1
        return end(link)
      }
      if (swallow && chunk.includes(swallow.text)) {
        swallowed = swallow.done
        swallow = undefined
      }
      if (hold && chunk.includes(hold.text)) {
        held = hold.held
        hold = undefined
      }
      server.write(chunk)
    })
    server.on('data', (chunk) => {
      if (link.isSilent) return
      if (held) {
        held(() => client.write(chunk))
        held = undefined
        return
      }
      if (!swallowed) return void client.write(chunk)
      // The server has answered, so it has done the work; the client never hears of it.
      end(link)
      swallowed()
    })
    for (const socket of [client, server]) socket.on('error', () => end(link)).on('close', () => end(link))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')

  const cut = (saying = '') => {
    for (const link of links) if (link.firstWords.includes(saying)) end(link)
  }
  return {
    port: (listener.address() as { port: number }).port,
    cut,
    silence: () => {
      for (const link of links) link.isSilent = true
    },
    refuse: (value) => {
      refused = value
    },
    swallowAnswerTo: (text) =>
      new Promise((done) => {
        swallow = { text, done }
      }),
    holdAnswerTo: (text) =>
      new Promise((held) => {
        hold = { text, held }
      }),
    dropRequest: (text, times = 1) => {
      drop = { text, times }
    },
    async [Symbol.asyncDispose]() {
      cut()
      listener.close()
      await once(listener, 'close')
    },
  }
}
