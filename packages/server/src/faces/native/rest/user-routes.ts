import type { Invitation } from '@parley/protocol/rest'
import { changeUserSchema, inviteSchema, userQuerySchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Auth, signInPath } from '../../../auth/auth.ts'
import type { Invited } from '../../../auth/members.ts'
import { readBody, readQuery } from '../../../http/ignored-fields.ts'
import { callerOf, needs } from '../../../http/signed-in.ts'

type OneUser = { Params: { user_id: string } }

export type UserRoutesOptions = {
  auth: Auth
  /** Where people reach this server, as this request shows it. */
  originOf: (request: FastifyRequest) => string
  /** Deletes what a removed user had. */
  forgetUser: (user_id: string) => Promise<void>
}

const ALL = '/api/users'
const ONE = `${ALL}/:user_id`

/** [W12.15] Who is in. Owners alone see the list and change it. */
export function userRoutes(app: FastifyInstance, { auth, originOf, forgetUser }: UserRoutesOptions): void {
  const { members } = auth
  const invitation = (request: FastifyRequest, { code, ...rest }: Invited): Invitation => ({
    ...rest,
    url: originOf(request) + signInPath(code),
  })

  app.get(ALL, needs('owner'), async (request) => members.list(readQuery(request, userQuerySchema)))

  app.post(ALL, needs('owner'), async (request, reply) => {
    const invited = await members.invite(callerOf(request).user_id, readBody(request, inviteSchema))
    return reply.code(201).send(invitation(request, invited))
  })

  app.post<OneUser>(`${ONE}/links`, needs('owner'), async (request, reply) => {
    const invited = await members.inviteAgain(callerOf(request).user_id, request.params.user_id)
    return reply.code(201).send(invitation(request, invited))
  })

  app.patch<OneUser>(ONE, needs('owner'), async (request) =>
    members.change(callerOf(request).user_id, request.params.user_id, readBody(request, changeUserSchema)),
  )

  app.delete<OneUser>(ONE, needs('owner'), async (request, reply) => {
    const { user_id } = request.params
    await auth.removeMember(callerOf(request).user_id, user_id)
    await forgetUser(user_id)
    return reply.code(204).send()
  })
}
