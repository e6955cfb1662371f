// Written from wire-protocol 14.1 – 14.4 alone, with the habits that 14.3 lists. Knows nothing of Parley.
import { BladeClient } from '@blade-hq/agent-kit/client'

const client = new BladeClient({ baseUrl: process.env.BLADE_URL, token: () => process.env.BLADE_TOKEN })
const { session_id } = await client.sessions.createSession('existing client')
const socket = client.socket()

/** Its picture of the session: turns by id, replaced whole. */
let turns = new Map()
const replace = (turn) => turns.set(turn.turn_id, turn)
const typed = []

socket.on('turn:start', replace)
socket.on('turn:end', replace)
socket.on('turn:patch', ({ patch_type, data }) => {
  if (patch_type === 'add_content' && data.text_delta) typed.push(data.text_delta)
  if (data.turn) replace(data.turn)
})
socket.connect()

/** Subscribes before every message, waits for chat:end, then reads everything again. */
function exchange(payload) {
  return new Promise((resolve, reject) => {
    socket.once('system:error', ({ message }) => reject(new Error(message)))
    socket.once('chat:end', async (end) => {
      socket.off('system:error')
      const live = visible()
      turns = new Map((await client.sessions.getSessionTurns(session_id)).map((turn) => [turn.turn_id, turn]))
      resolve({ status: end.status, live, stored: visible() })
    })
    socket.emit('session:subscribe', { session_id })
    socket.emit('chat:send', { session_id, mode: 'executing', ...payload })
  })
}

/** What it would draw: text of turns that are more than bookkeeping, and the state of their tools. */
function visible() {
  return [...turns.values()]
    .sort((a, b) => a.sequence - b.sequence)
    .filter(
      (turn) => !turn.blocks.every(({ type }) => ['ask_user_answer', 'mode_change', 'planning_enter'].includes(type)),
    )
    .map((turn) => [
      turn.parent_fork_tool_call_id ? 'child' : turn.role,
      turn.blocks.map(({ type, content }) => (type === 'text' ? content : '')).join(''),
      ...turn.tool_calls.map(({ tool_name, status }) => `${tool_name}:${status}`),
    ])
}

/** Opens the sub-agent's panel when its call waits, and finds the question in the sub-agent's turn. */
function findQuestion() {
  const calls = [...turns.values()].flatMap((turn) => turn.tool_calls)
  return calls.find(({ tool_name, status }) => tool_name === 'AskUserQuestion' && status === 'awaiting_answer')
}

const report = {}
report.text = await exchange({ message: 'hello' })
report.typed = typed.join('')
report.tool = await exchange({ message: 'tool' })
report.question = await exchange({ message: 'question' })
const answer = () => ({ tool_call_id: findQuestion().id, selections: { 0: [0] }, custom: {} })
report.answered = await exchange({ message: '', askuser_answer: answer() })
report.subAgent = await exchange({ message: 'sub-agent' })
report.openPanel = [...turns.values()].some(({ tool_calls }) =>
  tool_calls.some(({ tool_name, status }) => tool_name === 'Agent' && status === 'awaiting_answer'),
)
const stopped = exchange({ message: 'stop' })
await new Promise((resolve) => socket.once('turn:patch', resolve))
report.stopAck = await new Promise((resolve) => socket.emit('chat:stop', { session_id }, resolve))
report.stopped = await stopped
report.failed = await exchange({ message: 'fail' }).catch((error) => error.message)
report.headless = await client.headless.run('法国的首都是什么?')
report.rootImport = await import('@blade-hq/agent-kit').catch((error) => error.code)

console.log(JSON.stringify(report))
socket.disconnect()
