/** The runs of wire-protocol 10 as scripts. */
import type { Script } from './scripted-server.ts'

export const plainText: Script = async (session, { message }) => {
  await session.start()
  await session.withdrawQuestions()
  await session.user(String(message))
  const turn = await session.assistant()
  for (const piece of ['法国', '的首都是', '巴黎。']) await turn.say(piece)
  await turn.end()
  await session.end({ result: { output: '巴黎' } })
}

export const oneTool: Script = async (session, { message }) => {
  await session.start()
  await session.user(String(message))
  const turn = await session.assistant()
  await turn.say('让我想想', 'thinking')
  await turn.say('我来帮你查看...')
  await turn.call('tc_001', 'Bash', { command: 'ls -la' })
  await turn.result('tc_001', 'total 48')
  await turn.end()
  const last = await session.assistant()
  await last.say('当前目录有以下文件...')
  await last.end()
  await session.end()
}

const deploy = {
  questions: [
    {
      question: '选择部署环境',
      header: '部署确认',
      options: [{ label: 'staging', description: '测试环境' }, { label: 'production' }],
      multiSelect: false,
    },
  ],
  source_loop: null,
}

export const question: Script = async (session, { message }) => {
  await session.start()
  await session.user(String(message))
  const turn = await session.assistant()
  await turn.ask('tc_ask', deploy)
  await turn.end('paused')
  const asked = { tool_call_id: 'tc_ask', turn_id: turn.turn_id, loop_id: 'root', arguments: deploy }
  await session.end({ session_status: 'waiting_for_input', pause_tool: 'AskUserQuestion', pause_tool_data: asked })
}

export const answered: Script = async (session, { askuser_answer }) => {
  await session.start()
  await session.user('', [{ type: 'ask_user_answer', content: askuser_answer }])
  const asking = session.projection.turns.findLast((turn) => turn.tool_calls.some(({ id }) => id === 'tc_ask'))!
  const answers = [{ question: '选择部署环境', header: '部署确认', selected: ['staging'], custom: null }]
  await session.patch(asking.turn_id, 'tool_result', {
    tool_call_id: 'tc_ask',
    status: 'done',
    duration_ms: 1,
    result: { answers },
  })
  await session.patch(asking.turn_id, 'set_status', { status: 'completed' })
  const turn = await session.assistant()
  await turn.say('部署到 staging。')
  await turn.end()
  await session.end()
}

const child = { loop_id: 'agent:1f2e3d4c', parent_fork_tool_call_id: 'tc_fork' }

export const subAgentQuestion: Script = async (session, { message }) => {
  await session.start()
  await session.user(String(message))
  const turn = await session.assistant()
  await turn.call('tc_fork', 'Agent', { description: '数据清洗子任务', prompt: '…' })
  const inner = await session.assistant(child)
  await inner.say('清洗前要问一下。')
  const source_loop = { loop_name: child.loop_id, description: '数据清洗子任务' }
  await inner.ask('tc_ask', { ...deploy, source_loop })
  await inner.end('paused')
  const pending_question_ref = {
    child_loop_name: child.loop_id,
    child_tool_call_id: 'tc_ask',
    description: '数据清洗子任务',
  }
  await turn.patch('set_tool_status', { tool_call_id: 'tc_fork', status: 'awaiting_answer', pending_question_ref })
  await turn.end('paused')
  const asked = { tool_call_id: 'tc_ask', turn_id: inner.turn_id, loop_id: child.loop_id, arguments: deploy }
  await session.end({ session_status: 'waiting_for_input', pause_tool: 'AskUserQuestion', pause_tool_data: asked })
}

/** Talks until it is stopped. */
export const untilStopped: Script = async (session, { message }) => {
  await session.start()
  await session.user(String(message))
  const turn = await session.assistant()
  await turn.say('…')
  await session.stopRequested()
  await turn.end('interrupted')
  await session.end({ status: 'interrupted' })
}

/** A long run with text, tools and a sub-agent; `pieces` patches of text in every turn. */
export const long =
  (pieces: number): Script =>
  async (session, { message }) => {
    await session.start()
    await session.user(String(message))
    for (const round of [1, 2, 3]) {
      const turn = await session.assistant()
      for (let piece = 0; piece < pieces; piece += 1) await turn.say(`${round}.${piece} `)
      await turn.call(`tc_${session.head}`, 'Agent', { description: 'part' })
      const inner = await session.assistant({
        loop_id: 'agent:0a0a0a0a',
        parent_fork_tool_call_id: `tc_${session.head - 1}`,
      })
      for (let piece = 0; piece < pieces; piece += 1) {
        await inner.say(`in ${round}.${piece} `)
        if (piece % 3 === 0) await turn.say(`also ${piece} `)
      }
      await inner.end()
      await turn.end()
    }
    await session.end()
  }

export const failing: Script = async (session, { message }) => {
  await session.start()
  await session.user(String(message))
  const turn = await session.assistant()
  await turn.say('half an')
  await turn.end('failed', 'llm_error: The provider hung up.')
  const { run_id } = session
  await session.emit('system:error', { code: 'llm_error', message: 'The provider hung up.', run_id })
  await session.end({ status: 'failed', error: { code: 'llm_error', message: 'The provider hung up.' } })
}
