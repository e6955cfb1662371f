/** Every address of the console, in one place. Pages are reached by these and by nothing else. */
const part = encodeURIComponent

export const routes = {
  home: '/',
  session: (id: string) => `/s/${part(id)}`,
  runs: (id: string) => `/s/${part(id)}/runs`,
  run: (id: string, run: string, at?: number) =>
    `/s/${part(id)}/runs/${part(run)}${at === undefined ? '' : `?at=${at}`}`,
  sessions: (q = '') => `/sessions${q ? `?q=${part(q)}` : ''}`,
  approvals: '/approvals',
  approval: (id: string) => `/approvals/${part(id)}`,
  decided: '/approvals?tab=decided',
  schedules: '/schedules',
  scheduleCalendar: '/schedules?view=calendar',
  newSchedule: '/schedules/new',
  schedule: (id: string) => `/schedules/${part(id)}`,
  editSchedule: (id: string) => `/schedules/${part(id)}?edit=`,
  newScheduleLike: (example: string) => `/schedules/new?example=${part(example)}`,
  memory: '/memory',
  newMemory: '/memory/new',
  oneMemory: (id: number) => `/memory/${id}`,
  knowledge: '/knowledge',
  /** On a phone the list of collections is a page of its own. */
  allDocuments: '/knowledge?all=1',
  collection: (id: string) => `/knowledge/${part(id)}`,
  tools: '/tools',
  tool: (name: string) => `/tools/${part(name)}`,
  mcpServer: (name: string) => `/tools/servers/${part(name)}`,
  usage: '/usage',
  embed: '/embed',
  settings: (section: SettingsSection) => `/settings/${section}`,
  docs: '/docs',
} as const

export type SettingsSection = 'appearance' | 'models' | 'policy' | 'keys' | 'users' | 'audit' | 'server'
