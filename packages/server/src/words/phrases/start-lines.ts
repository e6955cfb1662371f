import type { Phrase } from '../phrases.ts'

/** What a start says, and the page at the server's address. */
export const START_LINES = {
  'start.listening': { en: 'Parley is listening on {url}', zh: 'Parley 已启动：{url}' },
  'start.config': { en: 'Configuration: {file}', zh: '配置文件：{file}' },
  'start.signIn': { en: 'One-time sign-in link, valid for a day: {url}', zh: '一次性登录链接（一天内有效）：{url}' },
  'start.everywhere': {
    en: 'PARLEY_HOST {host} means every interface, so other machines can reach this server too.',
    zh: 'PARLEY_HOST 为 {host}，即监听所有网络接口，其他机器也能访问此服务器。',
  },
  'start.elsewhere': {
    en: 'PARLEY_HOST {host} means every interface, so other machines can reach this server too, at {urls}; the sign-in link works there as well.',
    zh: 'PARLEY_HOST 为 {host}，即监听所有网络接口，其他机器也能通过 {urls} 访问此服务器；登录链接在那里同样有效。',
  },
  'start.or': { en: ' or ', zh: ' 或 ' },
  'start.stopping': { en: 'Stopping', zh: '正在停止' },
  'start.model': { en: 'Model: {id}', zh: '模型：{id}' },
  'start.demo': {
    en: 'Model: demo. It shows what Parley can do but has no knowledge of its own. For a real model, set PARLEY_MODEL_URL (an OpenAI-compatible server), ANTHROPIC_API_KEY or OPENAI_API_KEY.',
    zh: '模型：demo（演示模型）。它只用来展示 Parley 的功能，没有任何知识。要使用真实模型，请设置 PARLEY_MODEL_URL（OpenAI 兼容服务器）、ANTHROPIC_API_KEY 或 OPENAI_API_KEY。',
  },
  'start.firstOf': {
    en: 'Model: the first one listed by {origin}. Choose another with PARLEY_MODEL.',
    zh: '模型：{origin} 列出的第一个模型。可用 PARLEY_MODEL 指定其他模型。',
  },
  'start.firstNamed': {
    en: 'Model: {model}, the first one listed by {origin}. Choose another with PARLEY_MODEL.',
    zh: '模型：{model}，即 {origin} 列出的第一个模型。可用 PARLEY_MODEL 指定其他模型。',
  },
  'start.models': { en: 'Models at {origin}: {names}', zh: '{origin} 提供的模型：{names}' },
  'start.modelsAndMore': {
    en: 'Models at {origin}: {names} and {more} more',
    zh: '{origin} 提供的模型：{names}，另有 {more} 个',
  },
  'start.modelsUnknown': {
    en: '{origin} does not say which models it has ({why})',
    zh: '无法获知 {origin} 提供哪些模型（{why}）',
  },
  'start.tools': { en: 'Tools: {count}', zh: '工具：{count} 个' },
  'start.mcp': { en: 'MCP servers: {servers}', zh: 'MCP 服务器：{servers}' },
  'start.mcpTools': { en: '{name}: {count} tools', zh: '{name}：{count} 个工具' },
  'start.mcpOne': { en: '{name}: 1 tool', zh: '{name}：1 个工具' },
  'start.mcpNotYet': { en: '{name}: not connected yet', zh: '{name}：尚未连接' },
  'start.sandbox': { en: 'Commands run in a sandbox ({level}).', zh: '命令在沙箱中运行（{level}）。' },
  'start.noSandbox': {
    en: 'Commands run without a sandbox, so each one needs your confirmation.',
    zh: '命令不在沙箱中运行，因此每条命令都要先经过确认。',
  },
  'start.noBetter': { en: ' No better one is available here: {reason}', zh: '这里没有更好的沙箱可用：{reason}' },
  'start.visitorsByJwks': {
    en: 'Visitors: whoever has a token signed by {issuer} may come in (keys from {url}), and those with a token from this server.',
    zh: '访客：持有 {issuer} 签发的令牌（公钥来自 {url}）或本服务器签发的令牌即可进入。',
  },
  'start.visitorsByKey': {
    en: 'Visitors: whoever has a token signed by {issuer} may come in (its public key is configured), and those with a token from this server.',
    zh: '访客：持有 {issuer} 签发的令牌（公钥已在配置中）或本服务器签发的令牌即可进入。',
  },
  'start.visitorsBySecret': {
    en: 'Visitors: whoever has a token signed by {issuer} may come in (with a shared secret), and those with a token from this server.',
    zh: '访客：持有 {issuer} 签发的令牌（使用共享密钥）或本服务器签发的令牌即可进入。',
  },
  'start.keys': { en: 'Keys for visitors at {url}: {count}', zh: '{url} 提供的访客公钥：{count} 个' },
  'start.keysKept': {
    en: 'The keys for visitors at {url} cannot be read: {why} Those known so far are used for another {minutes} min.',
    zh: '无法读取 {url} 的访客公钥：{why} 已知的公钥还可使用 {minutes} 分钟。',
  },
  'start.keysUnknown': {
    en: 'The keys for visitors at {url} cannot be read: {why} Until they can, visitors with a token of their product are asked to try again later. Look at `visitors.jwks` in the configuration.',
    zh: '无法读取 {url} 的访客公钥：{why} 在此之前，持有产品令牌的访客会被告知稍后再试。请检查配置中的 `visitors.jwks`。',
  },
  'limit.title': { en: 'Command limits: {list}', zh: '命令的限制：{list}' },
  'limit.memory': { en: 'memory', zh: '内存' },
  'limit.processes': { en: 'processes', zh: '进程数' },
  'limit.cpu': { en: 'CPU', zh: '处理器' },
  'limit.disk': { en: 'disk', zh: '磁盘' },
  'limit.network': { en: 'network', zh: '网络' },
  'limit.cgroup': { en: 'enforced by the kernel (control group)', zh: '由内核限制（控制组）' },
  'limit.rlimit': { en: 'enforced by the kernel (resource limit)', zh: '由内核限制（资源限制）' },
  'limit.watched': { en: 'watched', zh: '由守护进程监视' },
  'limit.nice': { en: 'low priority', zh: '低优先级' },
  'limit.none': { en: 'none', zh: '无' },
  'limit.closed': { en: 'closed', zh: '关闭' },
  'limit.open': { en: 'open', zh: '开放' },
  'page.title': { en: 'Parley is running', zh: 'Parley 正在运行' },
  'page.about': {
    en: 'A self-hosted agent server with its chat.',
    zh: '自托管的智能体服务器，自带聊天界面。',
  },
  'link.title': { en: 'This sign-in link does not work', zh: '登录链接无法使用' },
  'link.advice': {
    en: 'For a new one, run this where the server runs:',
    zh: '要获得新的链接，请在服务器所在的机器上运行：',
  },
  'page.signIn': {
    en: 'You are not signed in in this browser. Open the one-time sign-in link that the server printed at its start; `npx parley sign-in-link` prints another.',
    zh: '这个浏览器尚未登录。请打开服务器启动时打印的一次性登录链接；`npx parley sign-in-link` 可打印新的链接。',
  },
  'page.terminal': { en: 'Chat with it from a terminal:', zh: '在终端里对话：' },
  'page.interfaces': { en: 'API endpoints:', zh: '接口地址：' },
} satisfies Record<string, Phrase>
