import type { CheckedOut, Checkpoint, Rewound, SwitchedBranch } from '@parley/protocol/rest'
import {
  checkedOutSchema,
  checkoutSchema,
  checkpointSchema,
  rewindSchema,
  rewoundSchema,
  switchBranchSchema,
  switchedBranchSchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Patience } from '../../../http/patience.ts'
import { readBody } from '../../../http/ignored-fields.ts'
import { readerOf } from '../../../http/reader.ts'
import { callerOf, needs, principalOf } from '../../../http/signed-in.ts'
import type { BranchOutcome, BranchResult } from '../../../sessions/service.ts'
import type { FaceParts } from '../../face.ts'
import { waitForRestore } from '../wait-for-restore.ts'

type OneSession = FastifyRequest<{ Params: { session_id: string } }>

const ONE = '/api/sessions/:session_id'
/** As long as anybody waits for files. */
const RESTORE_MS = 10 * 60_000

/** [W12.1] Checkpoints, and the ways back to them. */
export function branchRoutes(app: FastifyInstance, parts: Pick<FaceParts, 'sessions' | 'source' | 'door'>): void {
  const { sessions } = parts

  const listing = needs('chat', {
    says: ['The moments before each message, on all branches', '列出检查点'],
    answer: z.array(checkpointSchema),
    bySubject: true,
  })
  app.get(`${ONE}/checkpoints`, listing, async (request: OneSession): Promise<Checkpoint[]> =>
    sessions.checkpoints(principalOf(request), request.params.session_id),
  )

  const lookingBack = needs('chat', {
    says: ['The turns as they were at a checkpoint; changes nothing', '查看检查点处的消息；不作改动'],
    body: checkoutSchema,
    answer: checkedOutSchema,
  })
  app.post(`${ONE}/checkout`, lookingBack, async (request: OneSession): Promise<CheckedOut> => {
    const at = readBody(request, checkoutSchema)
    return sessions.checkout(principalOf(request), request.params.session_id, at)
  })

  const rewinding = needs('chat', {
    says: ['Goes back to a checkpoint: conversation, files or both', '回到检查点：会话、文件或两者'],
    body: rewindSchema,
    answer: rewoundSchema,
  })
  app.post(`${ONE}/rewind`, rewinding, async (request: OneSession, reply): Promise<Rewound | FastifyReply> => {
    const { session_id } = request.params
    const to = readBody(request, rewindSchema)
    const found = await settled(sessions.rewind(principalOf(request), session_id, to), { request, reply }, parts)
    if (!found) return reply.hijack()
    const { turns: _turns, ...rest } = found
    return { session_id, checkpoint_id: to.checkpoint_id, ...rest }
  })

  const switching = needs('chat', {
    says: ['Goes on with another branch', '切换到另一分支'],
    body: switchBranchSchema,
    answer: switchedBranchSchema,
  })
  app.post(
    `${ONE}/switch-branch`,
    switching,
    async (request: OneSession, reply): Promise<SwitchedBranch | FastifyReply> => {
      const { session_id } = request.params
      const to = readBody(request, switchBranchSchema)
      const found = await settled(
        sessions.switchBranch(principalOf(request), session_id, to),
        { request, reply },
        parts,
      )
      if (!found) return reply.hijack()
      const { removed_turns: _removed, ...rest } = found
      return { session_id, ...rest }
    },
  )
}

/** Whoever has hung up hears nothing; the files are put back all the same. */
async function settled(
  outcome: Promise<BranchOutcome>,
  { request, reply }: { request: OneSession; reply: FastifyReply },
  { source, door }: Pick<FaceParts, 'source' | 'door'>,
): Promise<BranchResult | undefined> {
  const { credential } = callerOf(request)
  using patience = new Patience({ response: reply.raw, timeoutMs: RESTORE_MS, door, credential })
  const found = await outcome
  return 'done' in found ? found.done : waitForRestore(source(readerOf(request)), found.accepted, patience.over)
}
