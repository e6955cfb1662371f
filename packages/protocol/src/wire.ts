/** For those who carry or serve the protocol: patch modes, numbers, the depth of JSON, what a code means to HTTP. */
export { PROTOCOL_VERSION } from './protocol-version.ts'
export { ERROR_STATUS } from './errors.ts'
export { LOCAL_FILES } from './local-files.ts'
export { MAX_JSON_DEPTH, parseBoundedJson, isTextDeeper, isDeeper } from './bounded-json.ts'
export type { NewSessionEvent } from './events.ts'
export { numberEvent } from './number-event.ts'
export type { Patch } from './patch.ts'
export { applyPatch } from './apply-patch.ts'
export { archiveTurns, isReplaced } from './archive-turns.ts'
export {
  emptyPatchModeState,
  encodePatch,
  toDelta,
  toCompat,
  toSync,
  takeDueSyncs,
  nextSyncAt,
  endPatches,
} from './patch-mode.ts'
export type { PatchModeState, PatchInput, PatchOutput } from './patch-mode.ts'
export type { ChatSend, WhatIf } from './commands.ts'
export { isEmptyMessage } from './is-empty-message.ts'
export { answersOf } from './answer.ts'
export { addUsage } from './add-usage.ts'
export type { AuthExpiry } from './visitor-token.ts'
