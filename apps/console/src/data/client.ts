import { ParleyClient } from '@parley/client'
import { preferredLanguage } from '../texts/language.ts'

/** The one client of this page: its login cookie, its socket, its sessions. */
export const client = new ParleyClient({ baseUrl: '', language: preferredLanguage })
