/** What `lazy-views.tsx` loads. */
export { EditForm } from '../messages/edit-form.tsx'
export { History } from '../history/history.tsx'
export { Statistics } from '../messages/statistics.tsx'
