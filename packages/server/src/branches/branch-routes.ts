import { checkoutSchema, rewindSchema, switchBranchSchema } from '@parley/protocol/schemas'
import type { Checkpoint, Rewound, SwitchedBranch } from '@parley/protocol/rest'
import type { FastifyInstance } from 'fastify'
import type { SessionReader } from '../feature.ts'
import { readBody } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { demandSession } from '../store/session-record.ts'
import { rewindTo, switchTo, type ChangeOptions } from './change-branch.ts'
import { checkpointsOf } from './checkpoints.ts'
import { checkOut } from './check-out.ts'

type OneSession = { Params: { session_id: string } }

const ONE = '/api/sessions/:session_id'

/** [W12.1] Checkpoints, and the ways back to them. */
export function branchRoutes(app: FastifyInstance, sessions: SessionReader, options: ChangeOptions): void {
  const { engine, ids } = options

  app.get<OneSession>(
    `${ONE}/checkpoints`,
    needs('chat', { bySubject: true }),
    async (request): Promise<Checkpoint[]> => {
      const { session_id } = request.params
      await sessions.get(principalOf(request), session_id)
      return engine.read(() => checkpointsOf(session_id))
    },
  )

  app.post<OneSession>(`${ONE}/rewind`, needs('chat'), async (request): Promise<Rewound> => {
    const { session_id } = request.params
    const { user_id } = principalOf(request)
    const { checkpoint_id } = readBody(request, rewindSchema)
    const change = { user_id, session_id, checkpoint_id, branch_id: ids.next('branch') }
    return { ...(await engine.write(() => rewindTo(change, options))), files_restored: false }
  })

  app.post<OneSession>(`${ONE}/checkout`, needs('chat'), async (request) => {
    const { session_id } = request.params
    const { checkpoint_id, position } = readBody(request, checkoutSchema)
    const { user_id } = principalOf(request)
    return engine.read(function* () {
      yield* demandSession(engine, user_id, session_id)
      return yield* checkOut({ session_id, checkpoint_id, position })
    })
  })

  app.post<OneSession>(`${ONE}/switch-branch`, needs('chat'), async (request): Promise<SwitchedBranch> => {
    const { session_id } = request.params
    const { user_id } = principalOf(request)
    const { checkpoint_id } = readBody(request, switchBranchSchema)
    const change = { user_id, session_id, checkpoint_id, branch_id: ids.next('branch') }
    return engine.write(() => switchTo(change, options))
  })
}
