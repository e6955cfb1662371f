import type { Migration } from 'kysely/migration'
import { foundation } from './0001-foundation.ts'
import { tools } from './0002-tools.ts'
import { subjects } from './0003-subjects.ts'
import { feedback } from './0004-feedback.ts'
import { contents } from './0005-contents.ts'
import { httpTools } from './0006-http-tools.ts'
import { revokedSubjects } from './0007-revoked-subjects.ts'
import { agents } from './0008-agents.ts'
import { aliases } from './0009-aliases.ts'
import { analyses } from './0010-analyses.ts'
import { modelConfigs } from './0011-model-configs.ts'
import { knowledge } from './0012-knowledge.ts'
import { memories } from './0013-memories.ts'
import { compactions } from './0014-compactions.ts'
import { branches } from './0015-branches.ts'
import { shares } from './0016-shares.ts'
import { workspaceStates } from './0017-workspace-states.ts'
import { turnsOfARun } from './0018-turns-of-a-run.ts'
import { vectorsInOrder } from './0019-vectors-in-order.ts'
import { schedules } from './0020-schedules.ts'
import { users } from './0021-users.ts'
import { primarySkills } from './0022-primary-skills.ts'
import { runHistory } from './0023-run-history.ts'
import { inbox } from './0024-inbox.ts'
import { toolRuns } from './0025-tool-runs.ts'
import { pastBuckets } from './0026-past-buckets.ts'
import { usage } from './0027-usage.ts'

/** What this server can read. A database whose `min_reader` is higher is refused. */
export const SCHEMA_VERSION = 1

/** In order of their names. A migration only adds; one that an older server could not live with raises `min_reader`. */
export function migrations(kind: 'sqlite' | 'postgres'): Record<string, Migration> {
  return {
    '0001-foundation': foundation(kind),
    '0002-tools': tools,
    '0003-subjects': subjects,
    '0004-feedback': feedback,
    '0005-contents': contents,
    '0006-http-tools': httpTools,
    '0007-revoked-subjects': revokedSubjects,
    '0008-agents': agents,
    '0009-aliases': aliases,
    '0010-analyses': analyses(kind),
    '0011-model-configs': modelConfigs(kind),
    '0012-knowledge': knowledge(kind),
    '0013-memories': memories,
    '0014-compactions': compactions,
    '0015-branches': branches,
    '0016-shares': shares,
    '0017-workspace-states': workspaceStates,
    '0018-turns-of-a-run': turnsOfARun,
    '0019-vectors-in-order': vectorsInOrder,
    '0020-schedules': schedules,
    '0021-users': users,
    '0022-primary-skills': primarySkills,
    '0023-run-history': runHistory,
    '0024-inbox': inbox,
    '0025-tool-runs': toolRuns,
    '0026-past-buckets': pastBuckets(kind),
    '0027-usage': usage,
  }
}
