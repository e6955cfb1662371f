import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The embed script as it was built before the tests: `npm test` and `npm run build` see to that. */
export const embedFile = join(import.meta.dirname, '../../bundle/embed.js')

if (!existsSync(embedFile)) throw new Error('The embed script has not been built. Run npm run build first.')
