import { ChatKit, parley } from '@parley/chatkit'
import '@parley/chatkit/chatkit.css'

const adapter = parley({ baseUrl: 'http://127.0.0.1:8020' })
const getToken = async () => (await fetch('/token', { method: 'POST' })).text()

export const Chat = () => <ChatKit adapter={adapter} refreshToken={getToken} title="Ask us" />
