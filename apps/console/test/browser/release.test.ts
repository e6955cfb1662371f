/** A release, looked at and then held at the step that needs consent: what the README's picture shows. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { FakeReply, FakeRequest } from '../../../../packages/testkit/src/index.ts'
import { CONSOLE_KEY, type Console, looksWrong, openConsole, shoot } from './open-console.ts'

const RELEASE = 'Release 2.4 to staging'
const QUESTION = `${RELEASE}. Look at the migration first, and tell me before anything is changed.`
const DEPLOY = './deploy.sh staging --tag v2.4.0 --migrate'
const FILES = {
  'CHANGELOG.md': '# 2.4.0\n\n- Orders know the channel they came through.\n',
  'migrations/0042_channel.sql': 'ALTER TABLE orders ADD COLUMN channel text;\n',
  'migrate.sh': 'sleep 0.4; echo "orders: add channel, nullable; order_items: new index, concurrently"\n',
}
const PLAN = `The migration adds one column that may be empty. No table is rewritten, so nothing has to stop.

| Table | Change | Rows | Lock |
|---|---|---:|---|
| \`orders\` | add channel, nullable | 1 204 331 | none |
| \`order_items\` | new index, concurrently | 3 880 112 | none |

The dry run went through. If you agree, I deploy now.`

const EARLIER: readonly [title: string, hoursAgo: number][] = [
  ['Why did checkout slow down?', 1.2],
  ['Draft the notice for Tuesday', 2.1],
  ['Compare two sandbox levels', 3.4],
  ['Orders by region, Q3', 24],
  ['Explain the retry policy', 25],
  ['Weekly dependency review', 27],
  ['Clean up stale branches', 24 * 6],
  ['Interview notes to tickets', 24 * 7],
]

test('[G5.1] a release shows what was looked at, and waits with the whole command before anything is changed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'console-release-'))
  await using world = await openConsole({
    reply,
    options: {
      dataDir,
      model: 'qwen3-coder',
      policy: {
        rules: [
          { tool: 'Bash', arguments: { command: 'sh migrate.sh*' }, decision: 'allow' },
          { tool: 'Bash', decision: 'ask' },
        ],
        headless: 'fail',
        confirmationMinutes: 15,
      },
    },
  })
  for (const [title, hoursAgo] of EARLIER) await earlier(world, { dataDir, title, hoursAgo })
  await talk(world, 'Nightly report')
  const session_id = await talk(world, RELEASE, QUESTION)
  await begin(world, 'Import supplier price lists')
  await using opened = await world.open(`/s/${session_id}`, { height: 1060 })
  const { page, problems } = opened
  await page.getByRole('button', { name: /^Approve/ }).waitFor()
  await page.getByRole('button', { name: /^3 steps/ }).click()
  for (const shown of ['CHANGELOG.md', 'ALTER TABLE', 'sh migrate.sh --dry-run', DEPLOY])
    await page.getByText(shown).first().waitFor()
  await page.getByText('Import supplier price lists').first().waitFor()
  expect(await looksWrong(page)).toEqual([])
  await page.locator('.ck-composer-text').blur()
  await page.mouse.move(0, 0)
  await shoot(page, 'release')
  await page.getByRole('button', { name: /^Reject/ }).click()
  await page.getByText('Nothing was changed.', { exact: true }).waitFor()
  expect(problems).toEqual([])
  await rm(dataDir, { recursive: true, force: true })
})

function reply({ question, results, system }: FakeRequest): FakeReply {
  if (system.startsWith('You propose')) return {}
  if (question.startsWith('Import')) return { text: 'Row by row. '.repeat(2_000), chunkDelayMs: 100 }
  if (question === 'Nightly report') return { calls: [{ name: 'Bash', arguments: { command: './mail-report.sh' } }] }
  if (!question.startsWith(RELEASE)) return { text: 'Done.' }
  if (results.length === 0)
    return {
      text: 'I will read the release notes and the pending migration, then try it on a copy.',
      calls: [
        { name: 'Read', arguments: { file_path: 'CHANGELOG.md' } },
        { name: 'Grep', arguments: { pattern: 'ALTER TABLE', path: 'migrations' } },
        { name: 'Bash', arguments: { command: 'sh migrate.sh --dry-run' } },
      ],
    }
  if (results.length === 3) return { text: PLAN, calls: [{ name: 'Bash', arguments: { command: DEPLOY } }] }
  return { text: 'Nothing was changed.' }
}

/** A conversation up to where it ends or waits. */
async function talk(world: Console, intent: string, message = intent): Promise<string> {
  const { session_id } = await world.api<{ session_id: string }>('POST', '/api/sessions', { intent })
  for (const [path, content] of intent === RELEASE ? Object.entries(FILES) : [])
    await world.api('PUT', `/api/sessions/${session_id}/files/${path}`, { content })
  await (await send(world, session_id, message)).text()
  return session_id
}

async function begin(world: Console, intent: string): Promise<void> {
  const { session_id } = await world.api<{ session_id: string }>('POST', '/api/sessions', { intent })
  const { body } = await send(world, session_id, intent)
  await body!.cancel()
}

function send(world: Console, session_id: string, message: string): Promise<Response> {
  return fetch(`${world.url}/api/sessions/${session_id}/chat`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${CONSOLE_KEY}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ message, headless: false, client_message_id: crypto.randomUUID() }),
  })
}

/** One that ended some time ago: the list has days. */
async function earlier(
  world: Console,
  { dataDir, title, hoursAgo }: { dataDir: string; title: string; hoursAgo: number },
) {
  const session_id = await talk(world, title)
  const at = new Date(Date.now() - hoursAgo * 3_600_000).toISOString()
  using database = new DatabaseSync(join(dataDir, 'parley.sqlite'))
  database.exec('PRAGMA busy_timeout = 10000')
  database.prepare('UPDATE sessions SET updated_at = ? WHERE id = ?').run(at, session_id)
}
