import type { PatchMode } from '@parley/protocol'
import { Server } from 'socket.io'
import { asPrincipal } from '../../../auth/principal.ts'
import { BODY_BYTES } from '../../../http/limits.ts'
import { readerFor } from '../../../words/reader.ts'
import type { FaceParts } from '../../face.ts'
import { AccountHints } from './account-hints.ts'
import { checkArrivals } from './arrivals.ts'
import { Badge } from './badge.ts'
import { Connection } from './connection.ts'
import { connectError, greet, type Greeting, readerLanguage } from './greet.ts'
import { type EngineConnection, Strangers } from './strangers.ts'

export type SocketFaceOptions = Pick<
  FaceParts,
  'app' | 'door' | 'sessions' | 'source' | 'config' | 'logger' | 'onAccountChange'
> & {
  /** Of those that have not said who they are, so many may wait to do so; then the oldest goes. Default 256. */
  maxStrangers: number | undefined
  /** For connections that ask for none. */
  patchMode: PatchMode
}

/** A connection that has not said who it is by then is closed. */
const GREETING_MS = 10_000

/** Socket.IO on the HTTP server. Disposing closes every connection and leaves the HTTP server alone. */
export function openSocketFace(options: SocketFaceOptions): Disposable {
  const { app, door, sessions, source, patchMode, logger } = options
  const { access, admission, guests } = door
  const { language, maxSockets } = options.config
  const io = new Server(app.server, {
    path: '/socket.io/',
    serveClient: false,
    maxHttpBufferSize: BODY_BYTES,
    perMessageDeflate: false,
    httpCompression: false,
    connectTimeout: GREETING_MS,
  })
  const strangers = new Strangers(options.maxStrangers)
  const isFull = () => io.engine.clientsCount - strangers.size >= maxSockets
  io.engine.use(checkArrivals({ access, isFull, strangers, language }))
  io.engine.on('connection', (connection: EngineConnection) => strangers.arrived(connection))
  io.use((socket, next) => {
    greet(socket, admission, { patchMode, logger, language }).then(
      (greeting) => {
        strangers.greeted((socket.conn as unknown as EngineConnection).id)
        socket.data = greeting
        next()
      },
      (error: unknown) => next(connectError(error, logger, readerLanguage(socket, language))),
    )
  })
  const hints = new AccountHints(io)
  const told = options.onAccountChange((change) => hints.changed(change))
  io.on('connection', (socket) => {
    const { caller, patchMode: mode, language: wanted } = socket.data as Greeting
    const reader = readerFor(asPrincipal(caller), wanted)
    const badge = new Badge(socket, { caller, reader }, { admission, guests })
    hints.add(socket, caller.user_id)
    void new Connection(socket, { sessions, source: source(reader), logger, badge }, mode)
  })
  return {
    [Symbol.dispose]() {
      told[Symbol.dispose]()
      hints[Symbol.dispose]()
      io.engine.close()
    },
  }
}
