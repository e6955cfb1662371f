import { ROOT_LOOP, textOf, type ToolCallProjection, type TurnProjection } from '@parley/protocol'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'
import { type Exporting, exportedTurns } from './exported-turns.ts'

/** Of what a tool was given and gave back, this much is told. */
const TOLD_CHARACTERS = 2_000

/** [W12.6] The conversation as one Markdown file: who said what, which tools were called, what was cited. */
export async function* exportMarkdown(exporting: Exporting, language: Language): AsyncGenerator<string> {
  const { sessions, principal, session_id, mask } = exporting
  const { intent, created_at } = await sessions.get(principal, session_id)
  yield `# ${oneLine(mask(intent)) || say('share.untitled', language)}\n\n${created_at}\n`
  for await (const turn of exportedTurns(exporting)) yield turnText(turn, language)
}

function turnText(turn: TurnProjection, language: Language): string {
  if (turn.kind === 'compaction') return `\n*${say('share.compaction', language)}*\n`
  const isInner = turn.loop_id !== ROOT_LOOP
  const who = say(isInner ? 'share.subAgent' : `share.${turn.role}`, language)
  const parts = [
    `\n## ${who}${turn.started_at === null ? '' : ` · ${turn.started_at}`}\n`,
    ...[saidIn(turn)].filter((text) => text !== '').map((text) => `${text}\n`),
    ...turn.tool_calls.map(callText),
    ...(turn.status === 'failed' || turn.status === 'interrupted'
      ? [`*${say(`share.${turn.status}`, language)}*\n`]
      : []),
    sourcesText(turn, language),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function saidIn(turn: TurnProjection): string {
  const others = turn.blocks.flatMap((block) => {
    if (block.type === 'system_notification') return [block.content]
    if (block.type !== 'ask_user_answer') return []
    return block.content.answers.map(
      ({ question, selected, custom }) => `> ${oneLine(question)}\n\n${[...selected, custom ?? ''].join(' ').trim()}`,
    )
  })
  return [textOf(turn), ...others].filter((text) => text !== '').join('\n\n')
}

function callText({ display_name, tool_name, arguments: given, result, status }: ToolCallProjection): string {
  const shown = typeof result === 'string' ? result : JSON.stringify(result ?? null, null, 2)
  return `**${oneLine(display_name)}** (\`${tool_name.replaceAll('`', '')}\`, ${status})\n\n${fenced(given)}\n\n${fenced(shown)}\n`
}

/** A fence that nothing in the text can close. */
function fenced(text: string): string {
  const short = text.length > TOLD_CHARACTERS ? `${text.slice(0, TOLD_CHARACTERS).toWellFormed()}…` : text
  const longest = Math.max(2, ...(short.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${short}\n${fence}`
}

function sourcesText({ citations }: TurnProjection, language: Language): string {
  if (!citations || citations.length === 0) return ''
  const items = citations.map(({ ref, title, headings }) => {
    const words = [title ?? '', ...headings].filter((word) => word !== '')
    return `- [${ref}] ${oneLine(words.join(' › '))}`
  })
  return `**${say('share.sources', language)}**\n\n${items.join('\n')}\n`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
