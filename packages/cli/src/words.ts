/** Everything the command line says besides --help, in both languages. */
import { KNOWLEDGE_WORDS } from './knowledge/knowledge-words.ts'
import type { Language } from './language.ts'

export type Words = (typeof WORDS)['en']

/** What a numeric option takes. */
export type NumberRange = { option: string; least: number; most: number }

export function wordsOf(language: Language): Words {
  return WORDS[language]
}

const WORDS = {
  en: {
    knowledge: KNOWLEDGE_WORDS.en,
    starting: 'Starting Parley …',
    listening: (url: string) => `Parley is listening on ${url}. Press Ctrl-C to stop.`,
    everywhere: (urls: string) => `It listens on every interface, so other machines can reach it too: ${urls || '—'}`,
    signIn: (url: string) => `One-time sign-in link: ${url}`,
    noServer: 'No server is running here. Start one with `parley serve`, or point to one with --url.',
    unreachable: (url: string) => `${url} does not respond. Is the server running?`,
    unauthorized: (url: string) => `${url} does not accept this key. Provide a valid one with --key or PARLEY_KEY.`,
    noKey: (url: string) => `${url} needs a key: use --key or PARLEY_KEY.`,
    chatHint: (id: string) => `Session ${id}. Type /help for commands; Ctrl-C stops a run, press it twice to quit.`,
    chatHelp:
      '/stop stop the run · /compact shorten the conversation · /exit quit · anything else is sent as a message',
    pressAgain: 'Press Ctrl-C again to quit.',
    stopping: 'Stopping …',
    stopped: 'Stopped.',
    connectionLost: 'Connection lost, reconnecting …',
    connectionBack: 'Reconnected.',
    unknownCommand: (name: string) => `There is no ${name}. Type /help for the commands.`,
    thinking: 'thinking',
    card: 'a card; the chat in the browser shows it',
    other: 'Something else …',
    pickOne: '↑↓ choose · Enter confirm · Esc skip',
    pickMany: '↑↓ move · Space select · Enter confirm · Esc skip',
    typeAnswer: 'Your answer (Enter confirms, Esc goes back): ',
    typeNumber: 'Number, or your own words: ',
    skipped: 'Skipped. Your next message will take the place of the answer.',
    asks: (name: string) => `${name} asks:`,
    confirm: (tool: string, risk: string) => `${tool} needs your consent (risk: ${risk})`,
    runFailed: (reason: string) => `The run failed: ${reason}`,
    noPrompt: 'There is no prompt. Put it in quotes, or pipe it in.',
    badSchema: (file: string, reason: string) => `${file} is not a usable JSON Schema: ${reason}`,
    linkOnce: 'This link signs you in once, within a day.',
    keyShownOnce: 'This key is shown only once. Keep it safe.',
    keyRevoked: (id: string) => `Revoked ${id}.`,
    never: 'never',
    noKeys: 'No keys.',
    noSessions: 'No sessions.',
    current: 'current',
    agentUses: (name: string, version: string) => `New sessions of ${name} get version ${version}.`,
    sessionDeleted: (id: string) => `Deleted ${id}.`,
    fileExists: (file: string) => `${file} is there already. Choose another with --output.`,
    fileFailed: (file: string, reason: string) => `${file}: ${reason}`,
    linkShows: (until: string | null) =>
      `Whoever has this link can read the conversation${until === null ? '' : ` until ${until}`}. It is shown only once.`,
    linksEnded: (id: string) => `No link to ${id} works any more.`,
    deleteSure: (id: string) => `Delete ${id} together with its history and files? [y/N] `,
    crashPrompt: 'Work in five steps, so that I can crash the server',
    crashSure: (pid: number) =>
      `This kills the server (process ${pid}) with SIGKILL in the middle of a demo answer; its supervisor starts it again. Go on? [y/N] `,
    crashNeedsYes: (pid: number) =>
      `This kills the server (process ${pid}) with SIGKILL. Without a terminal it needs --yes.`,
    crashKilled: (at: Date) => `✕ Server killed at ${at.toLocaleTimeString('en-GB')}.`,
    crashBack: (seconds: number, pid: number, leaseSeconds: number) =>
      `↻ Back after ${seconds.toFixed(1)} s, as process ${pid}. ${
        leaseSeconds === 0
          ? 'The answer goes on.'
          : `On PostgreSQL another server might be at work: the answer goes on, but not before the lease of the dead one has stood still for ${leaseSeconds} s.`
      }`,
    crashNotBack: (seconds: number) =>
      `The server was killed and is not back after ${seconds} s. Look at where it was started.`,
    crashLost: (count: number) => `The answer is complete, but ${count} characters that had been shown are gone.`,
    crashDone: (count: number) =>
      `✓ The answer is complete. Nothing was lost: all ${count} characters that you saw of it before the crash are still there.`,
    untitled: '(untitled)',
    you: 'you',
    more: (count: number) => `… and ${count} more; use --limit to show them.`,
    columns: {
      id: 'ID',
      name: 'NAME',
      key: 'KEY',
      lastUsed: 'LAST USED',
      status: 'STATUS',
      updated: 'UPDATED',
      title: 'TITLE',
      version: 'VERSION',
      sessions: 'SESSIONS',
      created: 'CREATED',
    },
    risk: { low: 'low', medium: 'medium', high: 'high' },
    theServer: 'The server',
    unknownOption: (name: string) => `Unknown option ${name}.`,
    unexpected: (what: string) => `"${what}" is one argument too many.`,
    badOption: (name: string) => `The value of ${name} is missing, or should not be there.`,
    badLanguage: (given: string) => `--language takes en or zh, not "${given}".`,
    seeHelp: 'See `parley --help`.',
    unknown: (name: string) => `Unknown command "${name}".`,
    missing: (what: string) => `${what} is missing.`,
    badNumber: (given: string, { option, least, most }: NumberRange) =>
      `${option} takes a number from ${least} to ${most}, not "${given}".`,
    badUrl: (given: string) => `--url takes an address such as http://127.0.0.1:8020, not "${given}".`,
  },
  zh: {
    knowledge: KNOWLEDGE_WORDS.zh,
    starting: '正在启动 Parley …',
    listening: (url: string) => `Parley 正在监听 ${url}。按 Ctrl-C 停止。`,
    everywhere: (urls: string) => `它监听所有网络接口，其他机器也能访问：${urls || '—'}`,
    signIn: (url: string) => `一次性登录链接：${url}`,
    noServer: '这里没有正在运行的服务器。用 `parley serve` 启动，或用 --url 指定一个。',
    unreachable: (url: string) => `${url} 没有响应。服务器在运行吗？`,
    unauthorized: (url: string) => `${url} 不接受这个密钥。请用 --key 或 PARLEY_KEY 提供。`,
    noKey: (url: string) => `访问 ${url} 需要密钥，请用 --key 或 PARLEY_KEY 提供。`,
    chatHint: (id: string) => `会话 ${id}。输入 /help 查看命令；Ctrl-C 停止运行，连按两次退出。`,
    chatHelp: '/stop 停止运行 · /compact 压缩对话 · /exit 退出 · 其余内容作为消息发送',
    pressAgain: '再按一次 Ctrl-C 退出。',
    stopping: '正在停止 …',
    stopped: '已停止。',
    connectionLost: '连接已断开，正在重连 …',
    connectionBack: '已重新连接。',
    unknownCommand: (name: string) => `没有 ${name}。输入 /help 查看可用命令。`,
    thinking: '思考',
    card: '一张卡片，可在浏览器的聊天中查看',
    other: '其他 …',
    pickOne: '↑↓ 选择 · Enter 确认 · Esc 跳过',
    pickMany: '↑↓ 移动 · 空格 选中 · Enter 确认 · Esc 跳过',
    typeAnswer: '请输入回答（Enter 确认，Esc 返回）：',
    typeNumber: '输入编号，或直接写下回答：',
    skipped: '已跳过。你的下一条消息会代替这次回答。',
    asks: (name: string) => `${name} 提问：`,
    confirm: (tool: string, risk: string) => `${tool} 需要你的同意（风险：${risk}）`,
    runFailed: (reason: string) => `运行失败：${reason}`,
    noPrompt: '没有提示词。请用引号括起来写在命令后面，或通过管道传入。',
    badSchema: (file: string, reason: string) => `${file} 不是可用的 JSON Schema：${reason}`,
    linkOnce: '此链接一天内有效，只能使用一次。',
    keyShownOnce: '密钥只显示这一次，请妥善保存。',
    keyRevoked: (id: string) => `${id} 已吊销。`,
    never: '从未',
    noKeys: '没有密钥。',
    noSessions: '没有会话。',
    current: '当前',
    agentUses: (name: string, version: string) => `${name} 的新会话将使用版本 ${version}。`,
    sessionDeleted: (id: string) => `${id} 已删除。`,
    fileExists: (file: string) => `${file} 已存在，请用 --output 另选文件名。`,
    fileFailed: (file: string, reason: string) => `${file}：${reason}`,
    linkShows: (until: string | null) =>
      `任何拿到此链接的人都能阅读这段对话${until === null ? '' : `，有效期至 ${until}`}。链接只显示这一次。`,
    linksEnded: (id: string) => `${id} 的所有链接都已失效。`,
    deleteSure: (id: string) => `删除 ${id} 及其历史和文件？[y/N] `,
    crashPrompt: '分五步工作，让我可以让服务器崩溃',
    crashSure: (pid: number) =>
      `这会在一次演示回答的中途用 SIGKILL 杀死服务器（进程 ${pid}），监管进程会重新启动它。继续吗？[y/N] `,
    crashNeedsYes: (pid: number) => `这会用 SIGKILL 杀死服务器（进程 ${pid}）。没有终端时需要 --yes。`,
    crashKilled: (at: Date) => `✕ 服务器于 ${at.toLocaleTimeString('zh-CN')} 被杀死。`,
    crashBack: (seconds: number, pid: number, leaseSeconds: number) =>
      `↻ ${seconds.toFixed(1)} 秒后恢复，进程号为 ${pid}。${
        leaseSeconds === 0
          ? '回答继续。'
          : `使用 PostgreSQL 时，可能有另一台服务器在工作：要等死去的服务器的租约停滞 ${leaseSeconds} 秒后，回答才会继续。`
      }`,
    crashNotBack: (seconds: number) => `服务器被杀死后 ${seconds} 秒仍未恢复。请查看启动它的地方。`,
    crashLost: (count: number) => `回答已完成，但之前显示过的 ${count} 个字符不见了。`,
    crashDone: (count: number) => `✓ 回答已完成。没有丢失任何内容：崩溃前显示的 ${count} 个字符全都还在。`,
    untitled: '（无标题）',
    you: '你',
    more: (count: number) => `… 另有 ${count} 个；用 --limit 显示。`,
    columns: {
      id: 'ID',
      name: '名称',
      key: '密钥',
      lastUsed: '上次使用',
      status: '状态',
      updated: '更新时间',
      title: '标题',
      version: '版本',
      sessions: '会话数',
      created: '创建时间',
    },
    risk: { low: '低', medium: '中', high: '高' },
    theServer: '服务器',
    unknownOption: (name: string) => `没有选项 ${name}。`,
    unexpected: (what: string) => `多了一个参数“${what}”。`,
    badOption: (name: string) => `${name} 缺少值，或不该带值。`,
    badLanguage: (given: string) => `--language 的值应为 en 或 zh，而不是“${given}”。`,
    seeHelp: '用法见 `parley --help`。',
    unknown: (name: string) => `没有命令“${name}”。`,
    missing: (what: string) => `缺少 ${what}。`,
    badNumber: (given: string, { option, least, most }: NumberRange) =>
      `${option} 需要 ${least} 到 ${most} 之间的数字，而不是“${given}”。`,
    badUrl: (given: string) => `--url 需要形如 http://127.0.0.1:8020 的地址，而不是“${given}”。`,
  },
}
