import type { Block, ChatMessageInput } from '../../../src/model/chat-message.ts'
import type { ConfirmationCard } from '../../../src/model/agent-blocks.ts'
import type { ToolCall } from '../../../src/model/tool-block.ts'

const AT = Date.UTC(2026, 10, 18, 14, 20)
/** Longer than the longest test; what is left of it stays the same minute. */
const OPEN_UNTIL = new Date(Date.now() + 12.5 * 60_000).toISOString()

let count = 0
const said = (
  type: 'User' | 'Assistant',
  content: Block[],
  more: Partial<ChatMessageInput> = {},
): ChatMessageInput => ({
  messageID: `w${(count += 1)}`,
  role: { name: type === 'User' ? 'Mira' : 'Parley', type, avatar: '' },
  content: content.map((block, i) => ({ key: `${count}.${i}`, ...block })),
  createdAt: AT,
  ...(type === 'Assistant' && { groupID: 'run' }),
  ...more,
})
const text = (content: string): Block => ({ type: 'Markdown', content })
const tool = (content: ToolCall): Block => ({ type: 'Tool', content })
const asked = (card: Partial<ConfirmationCard>): Block => ({
  type: 'Confirmation',
  content: {
    confirmationId: 'c1',
    message: '',
    title: 'Bash',
    action: { type: 'Bash', target: '', params: {} },
    risk: 'high',
    preview: '',
    state: 'waiting',
    editable: true,
    expiresAt: OPEN_UNTIL,
    ...card,
  } satisfies ConfirmationCard,
})

/** 5 000 characters, as a model writes them: flags, quotes, and one word that is longer than a phone is wide. */
export const LONG_COMMAND =
  `docker run --rm --network=none ${Array.from({ length: 150 }, (_, i) => `--env RELEASE_FLAG_${i}=on-${i}`).join(' ')} registry.internal/deploy-tools/migrate-and-verify@sha256:${'9f2c'.repeat(16)} `.padEnd(
    4980,
    '--verbose ',
  ) + '&& echo the-very-end'

const CONFIG = `location /import/ {
    proxy_pass http://importer;
    client_max_body_size 10m;
    proxy_read_timeout 30s;
}
`
const CHANGED = `location /import/ {
    proxy_pass http://importer;
    client_max_body_size 64m;
    proxy_read_timeout 120s;
    proxy_request_buffering off;
    limit_except POST PUT {
        deny all;
    }
}
`

export function workScenes(isChinese: boolean) {
  const say = (en: string, zh: string) => (isChinese ? zh : en)
  const read = tool({
    name: 'Read',
    title: say('Read file', '读取文件'),
    input: { file_path: 'CHANGELOG.md' },
    output: '2.4.0',
    durationMs: 20,
  })
  const search = tool({
    name: 'Grep',
    title: say('Search files', '搜索文件'),
    input: { pattern: 'ALTER TABLE', path: 'migrations/' },
    output: 'migrations/0042.sql:3',
    durationMs: 40,
  })
  const run = (more: Partial<ToolCall> = {}) =>
    tool({
      name: 'Bash',
      title: say('Run command', '执行命令'),
      input: { command: 'npm run migrate -- --dry-run' },
      output: 'done in 1.9 s',
      durationMs: 2810,
      ...more,
    })
  const table = say(
    `The migration adds one column that may be empty. No table is rewritten, so nothing has to stop.

| Table | Change | Rows | Lock |
| :--- | :--- | ---: | :--- |
| \`orders\` | add channel, nullable | 1 204 331 | none |
| \`order_items\` | new index, concurrently | 3 880 112 | none |

The dry run took 1.9 s. If you agree, I deploy now.`,
    `这次迁移只新增一个可为空的列，不会重写任何表，因此不需要停机。

| 表 | 改动 | 行数 | 锁 |
| :--- | :--- | ---: | :--- |
| \`orders\` | 新增 channel，可为空 | 1,204,331 | 无 |
| \`order_items\` | 并发创建索引 | 3,880,112 | 无 |

试跑用时 1.9 秒。如果你同意，我现在就部署。`,
  )
  const reason = say('Your policy, rule 3: ops.run needs consent.', '策略第 3 条：ops.run 需要同意。')
  const wish = say(
    'Release 2.4 to staging. Look at the migration first, and tell me before anything is changed.',
    '把 2.4 发布到预发环境。先检查数据库迁移，改动任何东西之前先告诉我。',
  )
  const asking = (card: Partial<ConfirmationCard>) => [
    said('User', [{ type: 'Text', content: wish }]),
    said('Assistant', [asked({ reason, ...card })]),
  ]
  return {
    work: [
      said('User', [{ type: 'Text', content: wish }]),
      said('Assistant', [
        text(
          say(
            'I will read the release notes and the pending migration, then try it on a copy.',
            '我先看发布说明和待执行的迁移，再在副本上试跑一遍。',
          ),
        ),
        read,
      ]),
      // Each step in a turn of its own, as an agent takes them.
      said('Assistant', [search]),
      said('Assistant', [run({ status: 'pending', durationMs: 0 })]),
      said('Assistant', [
        text(table),
        asked({ arguments: { command: './deploy.sh staging --tag v2.4.0 --migrate' }, reason }),
      ]),
    ],
    rail: [
      said('User', [{ type: 'Text', content: wish }]),
      said('Assistant', [{ type: 'Reasoning', content: { text: 'First the notes.', durationMs: 1200 } }, read]),
      said('Assistant', [search]),
      said('Assistant', [run(), run({ durationMs: 230 })]),
      said('Assistant', [
        run({
          status: 'error',
          input: { command: 'npm run seed -- --all' },
          error: say('Exit code 1: relation "orders" does not exist', '退出码 1：关系 "orders" 不存在'),
          output: say('Exit code 1: relation "orders" does not exist', '退出码 1：关系 "orders" 不存在'),
        }),
      ]),
      said('Assistant', [
        {
          type: 'SubAgent',
          content: {
            toolCallID: 'x',
            title: say('compare the two schemas', '比较两个库的结构'),
            status: 'done',
            messages: [said('Assistant', [read]), said('Assistant', [search, run()]), said('Assistant', [text('…')])],
          } as never,
        },
        run({ status: 'pending', durationMs: 0, input: { command: './verify.sh --deep' } }),
      ]),
      said('Assistant', [
        tool({ name: 'Send', title: say('Send a mail', '发送邮件'), status: 'awaiting_answer', input: { to: 'ops' } }),
      ]),
    ],
    consent: asking({ arguments: { command: LONG_COMMAND, timeout_ms: 600_000 } }),
    hidden: asking({ arguments: { command: 'rm -rf ./build\u202E/cod\u200B.sh' } }),
    edit: asking({
      title: 'Edit',
      action: { type: 'Edit', target: 'deploy/nginx.conf', params: {} },
      risk: 'medium',
      arguments: { file_path: 'deploy/nginx.conf', old_string: CONFIG, new_string: CHANGED },
    }),
    write: asking({
      title: 'Write',
      action: { type: 'Write', target: 'deploy/nginx.conf', params: {} },
      risk: 'medium',
      arguments: { file_path: 'deploy/nginx.conf', content: CHANGED },
      change: { path: 'deploy/nginx.conf', before: CONFIG, after: CHANGED },
    }),
    listed: asking({
      title: say('Send a mail', '发送邮件'),
      action: { type: 'mcp__mail__send', target: '', params: {} },
      risk: 'low',
      arguments: {
        to: 'ops@example.org',
        subject: 'Release 2.4',
        body: 'It is out.\nNothing had to stop.',
        copies: ['a', 'b'],
      },
    }),
  } satisfies Record<string, ChatMessageInput[]>
}
