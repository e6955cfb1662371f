import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type DeafProxy = AsyncDisposable & { url: string; isDeaf: boolean; cut(): void }

/** Stands between client and server; while deaf, what the server says is lost. */
export async function startDeafProxy(target: number): Promise<DeafProxy> {
  const sockets = new Set<Socket>()
  const listener = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    near.pipe(far)
    far.on('data', (chunk) => proxy.isDeaf || near.write(chunk))
    for (const socket of [near, far])
      sockets.add(socket.on('error', () => {}).on('close', () => [near, far].forEach((end) => end.destroy())))
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const proxy: DeafProxy = {
    url: `http://127.0.0.1:${(listener.address() as { port: number }).port}`,
    isDeaf: false,
    cut: () => sockets.forEach((socket) => socket.destroy()),
    async [Symbol.asyncDispose]() {
      proxy.cut()
      listener.close()
    },
  }
  return proxy
}
