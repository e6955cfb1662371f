import type { FakeReply } from '@parley/testkit'
import type { Chat } from '../../wire/chat.ts'
import type { Lines } from '../../wire/world.ts'

export const PATIENCE = { timeout: 60_000 }

export const OPTION = {
  title: { text: 'Sums' },
  xAxis: { data: ['a', 'b'] },
  yAxis: {},
  series: [{ type: 'bar', data: [1, 2] }],
}

export const tool = (name: string, args: object): FakeReply => ({ calls: [{ name, arguments: args }] })
export const write = (file_path: string, content: string) => tool('write_text_file', { file_path, content })
export const execute = (code_file_path: string, more: object = {}) =>
  tool('execute_javascript_code_by_path', { code_file_path, ...more })

/** A program that leaves these charts. */
export const drawing = (charts: readonly unknown[], more = '') =>
  `import { readFileSync, writeFileSync } from 'node:fs'
${more}
writeFileSync('result.json', JSON.stringify({ echarts_list: ${JSON.stringify(charts)} }))`

/** What the model says: the main agent asks for one analysis, its sub-agent does these things. */
export function analysisOf(question: string, goal: string, replies: readonly FakeReply[]): Lines {
  return { [question]: [tool('analyse_by_code', { goal }), { text: 'Done' }], [goal]: replies }
}

export type SeenCall = { status: string; result: unknown }

/** The last call of this tool in the conversation. */
export async function callOf(chat: Chat, name: string): Promise<SeenCall> {
  const calls = (await chat.messages()).flatMap(({ tool_calls }) => tool_calls)
  return calls.findLast(({ tool_name }) => tool_name === name)!
}

export async function analyseIdOf(chat: Chat): Promise<number> {
  const { result } = await callOf(chat, 'analyse_by_code')
  return (result as { analyse_id: number }).analyse_id
}
