import { io } from 'socket.io-client'

const url = 'http://127.0.0.1:8020'
const token = process.env.PARLEY_KEY
const headers = { authorization: `Bearer ${token}` }
const { session_id } = await (await fetch(`${url}/api/sessions`, { method: 'POST', headers })).json()
const socket = io(url, { auth: { token, patch_mode: 'delta' } })
socket.on('turn:patch', ({ data }) => data.type === 'text' && process.stdout.write(data.text_delta ?? ''))
socket.on('chat:end', () => socket.close())
await socket.emitWithAck('chat:send', { session_id, message: 'Hello' })
