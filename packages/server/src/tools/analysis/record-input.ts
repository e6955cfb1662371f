import type { ModelInputs } from '../../context/model-inputs.ts'
import type { World } from '../../feature.ts'
import type { ModelInput } from '../../ports.ts'
import { appendEvents } from '../../store/append.ts'
import { findGate } from '../../store/gate.ts'

type Asked = { session_id: string; run_id: string | null; loop_id: string; model: string; input: ModelInput }

/**
 * What a sub-agent's model is about to be given, among the model calls of its session. It is a notice: the call of the tool
 * is the run's, what happens inside it is not.
 */
export async function recordInput(
  inputs: ModelInputs,
  { session_id, run_id, loop_id, model, input }: Asked,
  { engine, journal }: Pick<World, 'engine' | 'journal'>,
): Promise<void> {
  const { data, contents } = await inputs.keep(loop_id, model, input)
  const event = { type: 'run:model_input', data: JSON.stringify(data), run_id, loop_id, turn_id: null }
  await engine.write(function* () {
    if (yield* findGate(session_id)) yield* appendEvents({ ...journal.appending(session_id, null, [event]), contents })
  })
}
