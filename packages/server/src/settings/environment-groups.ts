import type { EnvironmentGroup } from '@parley/protocol/rest'
import type { Language } from '../words/language.ts'
import { ENVIRONMENT } from '../config/environment.ts'
import { DEFAULTS, type ServerConfig } from '../config/options.ts'
import { SECRET_NAME } from '../config/server-secrets.ts'

type Words = Record<Language, string>
type Group = { title: Words; options: Partial<Record<keyof typeof ENVIRONMENT, Words>> }

const MASKED = '***'

const GROUPS: readonly Group[] = [
  {
    title: { en: 'Address', zh: '地址' },
    options: {
      host: { en: 'Address to listen on', zh: '监听地址' },
      port: { en: 'Port to listen on', zh: '监听端口' },
      publicUrl: { en: 'Where people reach this server', zh: '用户访问此服务器的地址' },
      allowedOrigins: { en: 'Origins of other sites whose pages may use it', zh: '允许使用此服务器的其他站点来源' },
      maxSockets: { en: 'Socket connections beyond this are refused', zh: '连接数上限' },
    },
  },
  {
    title: { en: 'Storage', zh: '存储' },
    options: {
      dataDir: { en: 'SQLite file, workspaces and uploads', zh: 'SQLite 文件、工作区和上传文件' },
      databaseUrl: { en: 'PostgreSQL instead of SQLite', zh: '使用 PostgreSQL 代替 SQLite' },
      agentsDir: { en: 'Holds a folder for each agent', zh: '每个智能体一个文件夹' },
    },
  },
  {
    title: { en: 'Access', zh: '访问' },
    options: {
      ownerKey: { en: 'An API key that the first owner has', zh: '第一位所有者的 API 密钥' },
      secret: { en: 'Key for cookies and stored secrets', zh: '用于 Cookie 和加密存储的密钥' },
      publicSharing: { en: 'Whether people may make links to sessions', zh: '是否允许创建会话分享链接' },
    },
  },
  {
    title: { en: 'Models', zh: '模型' },
    options: {
      modelUrl: { en: 'An OpenAI-compatible endpoint', zh: 'OpenAI 兼容接口地址' },
      model: { en: 'Its model', zh: '模型名称' },
      modelKey: { en: 'Its key', zh: '接口密钥' },
      anthropicApiKey: { en: 'Key of Anthropic', zh: 'Anthropic 密钥' },
      openaiApiKey: { en: 'Key of OpenAI', zh: 'OpenAI 密钥' },
      openaiBaseUrl: { en: 'Where OpenAI is asked', zh: 'OpenAI 接口地址' },
      embeddingsUrl: { en: 'Endpoint of embeddings', zh: '向量接口地址' },
      embeddingsModel: { en: 'Model of embeddings', zh: '向量模型' },
      embeddingsKey: { en: 'Key of embeddings', zh: '向量接口密钥' },
      titleModel: { en: 'Names sessions after their first run', zh: '用于为会话命名的模型' },
    },
  },
  {
    title: { en: 'Runs', zh: '运行' },
    options: {
      leaseMs: { en: 'How long a run belongs to a silent server, in milliseconds', zh: '运行租约（毫秒）' },
      drainMs: {
        en: 'How long a stopping server lets runs finish, in milliseconds',
        zh: '停止时等待运行结束的时间（毫秒）',
      },
      compactAt: { en: 'Share of the window at which history is summed up', zh: '触发压缩的窗口占比' },
      suggestions: { en: 'Whether questions to go on with are offered', zh: '是否提供后续问题建议' },
      language: { en: 'Language of texts that the server makes', zh: '服务器文字所用语言' },
      logLevel: { en: 'What is logged', zh: '日志级别' },
    },
  },
]

/** The variables that set the server up, with what counts now, wherever it was said. Secrets are masked. */
export function environmentGroups(config: ServerConfig, language: Language): EnvironmentGroup[] {
  return GROUPS.map(({ title, options }) => ({
    group: title[language],
    items: Object.entries(options).map(([option, remark]) => {
      const { name } = ENVIRONMENT[option as keyof typeof ENVIRONMENT]
      const value = textOf(config[option as keyof ServerConfig])
      const isSecret = SECRET_NAME.test(name) && value !== null
      const usual = textOf((DEFAULTS as Record<string, unknown>)[option])
      return { env_var: name, value: isSecret ? MASKED : value, default: usual, remark: remark[language] }
    }),
  }))
}

function textOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.join(',')
  return ['string', 'number', 'boolean'].includes(typeof value) ? `${value as string | number | boolean}` : null
}
