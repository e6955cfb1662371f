import { request } from 'node:http'
import { io, type Socket } from 'socket.io-client'

/** What one run came to, seen from its caller. */
export type RunResult = {
  /** For every token: milliseconds from the provider's send to our receipt. */
  delays: number[]
  bytes: number
  /** Messages in which the tokens came. */
  frames: number
}

export type Caller = { run: (model: string) => Promise<RunResult>; close: () => void }

const now = () => performance.timeOrigin + performance.now()

/** Reads timestamps out of whatever text arrives; a token may come in two pieces. */
function reader() {
  const delays: number[] = []
  let rest = ''
  return {
    delays,
    read(text: string) {
      const parts = (rest + text).split(' ')
      rest = parts.pop()!
      const at = now()
      for (const part of parts) if (part !== '') delays.push(at - Number(part))
    },
  }
}

/** Calls a server that answers with an event stream. */
export function eventStreamCaller(url: string, textOf: (event: Record<string, unknown>) => string | undefined): Caller {
  return {
    close: () => undefined,
    run: (model) =>
      new Promise((resolve, reject) => {
        const { delays, read } = reader()
        let bytes = 0
        let frames = 0
        let rest = ''
        const call = request(`${url}/?model=${encodeURIComponent(model)}`, { method: 'POST' }, (reply) => {
          reply.setEncoding('utf8')
          reply.on('data', (chunk: string) => {
            bytes += Buffer.byteLength(chunk)
            const lines = (rest + chunk).split('\n')
            rest = lines.pop()!
            for (const line of lines) {
              if (!line.startsWith('data: {')) continue
              const text = textOf(JSON.parse(line.slice(6)) as Record<string, unknown>)
              if (!text) continue
              frames += 1
              read(text)
            }
          })
          reply.on('end', () => resolve({ delays, bytes, frames }))
        })
        call.on('error', reject)
        call.end('{}')
      }),
  }
}

/** Calls Parley over its socket, in the mode its own client uses, one session per caller. */
export async function parleyCaller(url: string, key: string, session_id?: string): Promise<Caller> {
  const id = session_id ?? (await newSession(url, key))
  const socket: Socket = io(url, {
    auth: { token: key, patch_mode: 'delta' },
    transports: ['websocket'],
    forceNew: true,
  })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject))
  await socket.emitWithAck('session:subscribe', { session_id: id, patch_mode: 'delta' })
  let bytes = 0
  socket.io.engine.on('packet', (packet: { data?: string }) => {
    bytes += packet.data?.length ?? 0
  })
  return {
    close: () => void socket.disconnect(),
    run: async (model) => {
      const { delays, read } = reader()
      bytes = 0
      let frames = 0
      const onPatch = ({ data }: { data: { text_delta?: string } }) => {
        frames += 1
        read(data.text_delta ?? '')
      }
      socket.on('turn:patch', onPatch)
      const ended = new Promise((resolve) => socket.once('chat:end', resolve))
      const ack = (await socket.emitWithAck('chat:send', { session_id: id, message: 'go', model })) as {
        status: string
        message: string
      }
      if (ack.status !== 'ok') throw new Error(ack.message)
      await ended
      socket.off('turn:patch', onPatch)
      return { delays, bytes, frames }
    },
  }
}

export async function newSession(url: string, key: string): Promise<string> {
  const reply = await fetch(`${url}/api/sessions`, { method: 'POST', headers: { authorization: `Bearer ${key}` } })
  return ((await reply.json()) as { session_id: string }).session_id
}
