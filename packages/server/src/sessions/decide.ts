import { AgentError, isAgentError } from '@parley/protocol'
import { mayDo, type Principal } from '../auth/principal.ts'
import { decidingAnswer } from '../confirm/ask.ts'
import { confirmationOf, type ListedConfirmation, listConfirmations, toConfirmation } from '../confirm/confirmations.ts'
import { alreadyDecided } from '../confirm/decide.ts'
import type { JsonObject } from '../ports.ts'
import { acceptAnswer } from '../runs/accept/accept-answer.ts'
import type { Engine } from '../store/engine.ts'
import { demandSession } from '../store/session-record.ts'
import { accept } from './accepting.ts'
import { forReader } from './inbox.ts'
import { modelFor, type SendOptions } from './send.ts'
import type { Sessions } from './service.ts'

export type DecideOptions = Omit<SendOptions, 'storeFile'>

/** What a decision asks of the run that goes on: nothing that the one that asked did not. */
const NOTHING_NEW = {
  ...{ client_message_id: null, digest: '', isModelChosen: false, message: null },
  ...{ headless: false, output_schema: null, runtime_env: null },
}

/**
 * C8 by its own address: the same decision as answering the question. The account decides for its visitors too: the answer
 * goes into their session, under the account's name.
 */
export function decideOn(options: DecideOptions): Sessions['decide'] {
  const { engine, checkEdit } = options
  return async (principal, id, decision) => {
    const asked = await demandConfirmation(engine, principal, id)
    const { session_id, user_id: owner } = asked
    const user_id = owner!
    const session = await engine.read(() => demandSession(engine, user_id, session_id))
    const edited = decision.edited_arguments as JsonObject | undefined
    const request = {
      ...NOTHING_NEW,
      ...{ session_id, user_id },
      model: await modelFor(session, null, options),
      answer: decidingAnswer(asked.question_id!, decision),
      edit: edited ? await checkEdit(session, asked.tool_name, edited) : null,
      decider: { decided_by: principal.user_id, mayDecide: mayDo(principal, 'decide') },
    }
    try {
      const work = (run_id: string) => acceptAnswer({ ...request, run_id }, options)
      await accept({ session_id, point: 'C8', work }, options)
    } catch (error) {
      const isLate = isAgentError(error) && (error.code === 'ask_not_pending' || error.code === 'already_decided')
      throw isLate ? alreadyDecided(forReader(principal, await demandConfirmation(engine, principal, id))) : error
    }
    return forReader(principal, toConfirmation(await demandConfirmation(engine, principal, id)))
  }
}

export function confirmationsOf({ engine }: { engine: Engine }): Sessions['confirmations'] {
  return async (principal, page) => {
    const { items, total } = await engine.read(() => listConfirmations(principal.user_id, page))
    return { items: items.map((one) => forReader(principal, one)), total }
  }
}

async function demandConfirmation(engine: Engine, { user_id }: Principal, id: string): Promise<ListedConfirmation> {
  const row = await engine.read(() => confirmationOf(user_id, id))
  if (!row) throw new AgentError('not_found', `There is no confirmation ${id}.`)
  return row
}
