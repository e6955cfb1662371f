import { type ComponentType, lazy } from 'react'
import type { SettingsSection } from '../../routes.ts'
import { Appearance } from './appearance.tsx'
import { Keys } from './keys.tsx'
import { Models } from './models.tsx'
import { PolicySection } from './policy.tsx'
import { Server } from './server.tsx'

export type Section = {
  name: SettingsSection
  Content: ComponentType
  /** What the server must be able to do, where not every one can. */
  needs?: string
  isForOwners?: true
}

const Users = lazy(async () => ({ default: (await import('./users/users-section.tsx')).UsersSection }))

const Audit = lazy(async () => ({ default: (await import('./audit/audit-section.tsx')).AuditSection }))

export const SECTIONS: readonly Section[] = [
  { name: 'appearance', Content: Appearance },
  { name: 'models', Content: Models },
  { name: 'policy', Content: PolicySection },
  { name: 'keys', Content: Keys },
  { name: 'users', Content: Users },
  { name: 'audit', Content: Audit, needs: 'audit', isForOwners: true },
  { name: 'server', Content: Server },
]
