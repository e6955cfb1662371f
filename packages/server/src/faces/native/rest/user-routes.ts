import type { Invitation } from '@parley/protocol/rest'
import {
  changeUserSchema,
  invitationSchema,
  inviteSchema,
  userPageSchema,
  userQuerySchema,
  userSchema,
} from '@parley/protocol/schemas'
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

  const listing = needs('owner', {
    says: ['People of this server', '列出本服务器的用户'],
    query: userQuerySchema,
    answer: userPageSchema,
  })
  app.get(ALL, listing, async (request) => members.list(readQuery(request, userQuerySchema)))

  const inviting = needs('owner', {
    says: ['Invites somebody; the link is told this once', '邀请用户；链接只返回这一次'],
    body: inviteSchema,
    answer: invitationSchema,
    status: 201,
  })
  app.post(ALL, inviting, async (request, reply) => {
    const invited = await members.invite(callerOf(request).user_id, readBody(request, inviteSchema))
    return reply.code(201).send(invitation(request, invited))
  })

  const linking = needs('owner', {
    says: ['Another link for somebody; unused ones end', '为用户生成新链接，旧链接随即失效'],
    answer: invitationSchema,
    status: 201,
  })
  app.post<OneUser>(`${ONE}/links`, linking, async (request, reply) => {
    const invited = await members.inviteAgain(callerOf(request).user_id, request.params.user_id)
    return reply.code(201).send(invitation(request, invited))
  })

  const changing = needs('owner', {
    says: ['Changes somebody’s role or name', '修改用户的角色或名称'],
    body: changeUserSchema,
    answer: userSchema,
  })
  app.patch<OneUser>(ONE, changing, async (request) =>
    members.change(callerOf(request).user_id, request.params.user_id, readBody(request, changeUserSchema)),
  )

  const removing = needs('owner', { says: ['Removes somebody, with all they had', '移除用户及其全部数据'] })
  app.delete<OneUser>(ONE, removing, async (request, reply) => {
    const { user_id } = request.params
    await auth.removeMember(callerOf(request).user_id, user_id)
    await forgetUser(user_id)
    return reply.code(204).send()
  })
}
