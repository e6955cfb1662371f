import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { setUp } from './fast-client.ts'
import { KEY } from './scripted-server.ts'

/** Runs a program in a process of its own and waits until it ends by itself. */
async function runProgram(program: string, url: string): Promise<{ code: number; output: string }> {
  const source = `
    import { ParleyClient } from ${JSON.stringify(import.meta.resolve('../src/index.ts'))}
    const client = new ParleyClient({ baseUrl: ${JSON.stringify(url)}, token: ${JSON.stringify(KEY)} })
    ${program}`
  const child = spawn(process.execPath, ['--conditions=parley-source', '--input-type=module', '--eval', source])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  return { code, output }
}

test.each([
  ['a headless run', `console.log(await client.headless.run('hello'))`, '巴黎\n'],
  [
    'two headless runs',
    `for (const n of [1, 2]) console.log(n, await client.headless.run('hello'))`,
    '1 巴黎\n2 巴黎\n',
  ],
  ['a REST call', `console.log((await client.sessions.createSession('x')).session_id)`, 'sess_1\n'],
  [
    'a session that is disposed of',
    `const session = await client.sessions.create()
     session.on('chat:end', ({ status }) => { console.log(status); session.dispose() })
     await session.send('hello')`,
    'completed\n',
  ],
  [
    '[W14.2] a socket that is disconnected',
    `const { session_id } = await client.sessions.createSession('x')
     const socket = client.socket()
     socket.connect()
     socket.on('chat:end', ({ status }) => { console.log(status); socket.disconnect() })
     socket.emit('chat:send', { session_id, message: 'hello' })`,
    'completed\n',
  ],
])('a script ends by itself after %s', async (_name, program, output) => {
  await using setup = await setUp()
  expect(await runProgram(program, setup.server.url)).toEqual({ code: 0, output })
})
