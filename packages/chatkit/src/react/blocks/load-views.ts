/** Charts, diagrams and cards with all that belongs to them: one chunk, as most conversations have none. */
export const loadViews = () => import('./rich-views.ts')
