import { ParleyClient } from '@parley/client'

const { PARLEY_URL = 'http://127.0.0.1:8020', PARLEY_KEY } = process.env
const client = new ParleyClient({ baseUrl: PARLEY_URL, token: PARLEY_KEY })

const session = await client.sessions.create({ intent: 'A first talk' })
session.on('turn:patch', ({ patch_type, data }) => {
  if (patch_type === 'add_content' && data.text_delta)
    process.stdout.write(data.text_delta)
})
const ended = new Promise((resolve) => session.on('chat:end', resolve))
await session.send('Hello')
const { status, usage } = await ended
console.log(`\n${status}, ${usage?.output_tokens ?? 0} tokens`)
session[Symbol.dispose]()
