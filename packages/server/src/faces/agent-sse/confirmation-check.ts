import type { Said } from './events.ts'

export const CONFIRMATION_CHECK: Said = {
  type: 'confirmation_check',
  data: { description: 'Checking if operation requires confirmation' },
}
