import type { Phrase } from '../phrases.ts'

/** Why a scheduled task did not run, or did not end; each stands behind a code. */
export const SCHEDULE_ENDS = {
  'schedule.changed': { en: 'the task was changed before it began', zh: '任务在开始前被修改' },
  'schedule.notCaughtUp': {
    en: 'the server was not running, or too busy, when it was due',
    zh: '到点时服务器未运行或过于繁忙',
  },
  'schedule.nextIsDue': { en: 'nobody answered before the next run was due', zh: '下次运行到点前没有人回答' },
  'schedule.stillActive': { en: 'previous run still active', zh: '上次运行尚未结束' },
  'schedule.ownerGone': { en: 'the user whose task this is no longer exists', zh: '任务所属的用户已不存在' },
  'schedule.unanswered': { en: 'nobody answered within 24 hours', zh: '24 小时内没有人回答' },
  'schedule.sessionDeleted': { en: 'its session was deleted', zh: '所在会话已被删除' },
  'schedule.endedWaiting': { en: 'it ended while it waited for an answer', zh: '等待回答期间结束' },
} satisfies Record<string, Phrase>
