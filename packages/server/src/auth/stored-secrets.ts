import { runSql, type Work } from '../store/work.ts'
import type { Seal } from './seal.ts'

/**
 * What the database keeps sealed for the whole server: keys of models that people added, and what calls of tools in backends are
 * signed with. What was sealed with another secret is used by nobody.
 */
export function* storedSecrets(
  sealFor: (purpose: string) => Pick<Seal, 'open'>,
): Work<{ name: string; value: string }[]> {
  const rows = yield* runSql<{ purpose: string; name: string; sealed: string }>(
    `SELECT 'model_configs' AS purpose, name, api_key AS sealed FROM model_configs
      UNION ALL SELECT 'http_tools', name, secret FROM http_tools`,
    [],
  )
  return rows.flatMap(({ purpose, name, sealed }) => {
    try {
      return [{ name: `${purpose}.${name}`, value: sealFor(purpose).open(sealed) }]
    } catch {
      return []
    }
  })
}
