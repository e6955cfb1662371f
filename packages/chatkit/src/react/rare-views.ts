/** What `lazy-views.tsx` loads. */
export { EditForm } from './edit-form.tsx'
export { History } from './history.tsx'
