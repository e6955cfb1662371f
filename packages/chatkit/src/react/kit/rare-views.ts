/** What `lazy-views.tsx` loads. */
export { ArgumentsForm } from '../blocks/arguments-form.tsx'
export { AttachmentList } from '../composer/attachment-list.tsx'
export { BranchPicker } from '../messages/branch-picker.tsx'
export { EditForm } from '../messages/edit-form.tsx'
export { FeedbackComment } from '../messages/feedback-comment.tsx'
export { History } from '../history/history.tsx'
export { Memories } from '../messages/memories.tsx'
export { Statistics } from '../messages/statistics.tsx'
