import type { Crash, CrashPossibility } from '@parley/protocol/rest'
import { crashPossibilitySchema, crashSchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { World } from '../feature.ts'
import { failureOf } from '../http/failure.ts'
import { readBody } from '../http/ignored-fields.ts'
import { readerOf } from '../http/reader.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import { recordAudit } from '../store/audit.ts'
import { runsOf } from '../store/run-rows.ts'
import { say } from '../words/phrases.ts'
import type { CrashSettings } from './crash-feature.ts'
import { demandHere, refusalOf } from './refusal-of.ts'

/** How long the acknowledgement may take to get out. */
const FLUSH_MS = 500

const nothing = z.strictObject({})

/** [W12.14] Whether this server may be killed to show what it survives, and its death. For the owner, on this machine. */
export function crashRoutes(
  app: FastifyInstance,
  { world, settings }: { world: World; settings: CrashSettings },
): void {
  const { engine, instance, logger, config } = world
  const underWay = () => engine.read(() => runsOf(instance))

  const looking = needs('owner', {
    says: ['Whether this server may be killed for show', '能否为演示强制终止本服务器'],
    answer: crashPossibilitySchema,
  })
  app.get('/api/demo/crash', looking, async (request): Promise<CrashPossibility> => {
    demandHere(request)
    const runs = await underWay()
    const refusal = refusalOf(runs, settings)
    const failure = refusal && failureOf(refusal, readerOf(request))
    return {
      is_possible: failure === null,
      ...{ code: failure?.code ?? null, reason: failure?.message ?? null },
      pid: process.pid,
      // On SQLite there is one server, so that a new one waits for nobody.
      lease_ms: config.databaseUrl === undefined ? 0 : config.leaseMs,
      runs: runs.map(({ id, session_id }) => ({ run_id: id, session_id })),
    }
  })

  const crashing = needs('owner', {
    says: ['Kills this server, to show what it survives', '强制终止本服务器，以演示其恢复能力'],
    body: nothing,
    answer: crashSchema,
    status: 202,
  })
  app.post('/api/demo/crash', crashing, async (request, reply) => {
    demandHere(request)
    readBody(request, nothing)
    const refusal = refusalOf(await underWay(), settings)
    if (refusal) throw refusal
    await record(request)
    logger.warn(say('log.crash', config.language, { pid: process.pid }))
    return dieAfter(reply.code(202).send({ pid: process.pid, killed_at: new Date().toISOString() } satisfies Crash))
  })

  async function record(request: FastifyRequest): Promise<void> {
    const { user_id } = principalOf(request)
    await engine.write(() => recordAudit({ actor: user_id, action: 'server.crash', subject: instance }))
  }
}

/** For real: nothing is stored, handed back or said any more. */
function dieAfter(reply: FastifyReply): FastifyReply {
  const die = () => void process.kill(process.pid, 'SIGKILL')
  reply.raw.once('finish', die)
  setTimeout(die, FLUSH_MS)
  return reply
}
