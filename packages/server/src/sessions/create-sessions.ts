import { answerExpired } from './answer-expired.ts'
import { beginSession } from './begin.ts'
import { type BranchOptions, rewindSession, switchBranch } from './branches/change-branch.ts'
import { checkOut } from './branches/check-out.ts'
import { listCheckpoints } from './branches/checkpoints.ts'
import { appendTo, type AppendOptions } from './append.ts'
import { compactSession, type CompactOptions } from './compact.ts'
import { contextStats, countTokens, type StatsOptions } from './context-stats.ts'
import { createSession, type CreateOptions } from './create.ts'
import { confirmationsOf, decideOn, type DecideOptions } from './decide.ts'
import { deleteSession, type DeleteOptions } from './delete.ts'
import { expireWait } from './expire-wait.ts'
import { findEvent, findRun } from './find-run.ts'
import { readInbox, readInboxItem } from './inbox.ts'
import { listSessions } from './list.ts'
import { findByName } from './names.ts'
import { getSession, readBranch, type ReadOptions, readDetail, readMessages, readModelHistory } from './read.ts'
import { sendTo, type SendOptions } from './send.ts'
import type { Sessions } from './service.ts'
import { isEnding, stopRun, type StopOptions } from './stop.ts'
import { updateSession, type UpdateOptions } from './update.ts'

type SessionsOptions = CreateOptions &
  ReadOptions &
  UpdateOptions &
  DeleteOptions &
  SendOptions &
  StopOptions &
  AppendOptions &
  DecideOptions &
  CompactOptions &
  BranchOptions &
  StatsOptions

/** What every face calls, each from the file of its topic. */
export function createSessions(options: SessionsOptions): Sessions {
  return {
    create: createSession(options),
    find: findByName(options),
    list: listSessions(options),
    get: getSession(options),
    detail: readDetail(options),
    update: updateSession(options),
    delete: deleteSession(options),
    branch: readBranch(options),
    messages: readMessages(options),
    checkpoints: listCheckpoints(options),
    checkout: checkOut(options),
    rewind: rewindSession(options),
    switchBranch: switchBranch(options),
    history: readModelHistory(options),
    compact: compactSession(options),
    contextStats: contextStats(options),
    tokens: countTokens(options),
    send: sendTo(options),
    begin: beginSession(options),
    expireWait: expireWait(options),
    answerExpired: answerExpired(options),
    findRun: findRun(options),
    findEvent: findEvent(options),
    stop: stopRun(options),
    isEnding: isEnding(options),
    append: appendTo(options),
    decide: decideOn(options),
    inbox: readInbox(options),
    inboxItem: readInboxItem(options),
    confirmations: confirmationsOf(options),
  }
}
