/** A configuration whose tools charge somebody: an outside party counts what it is told. */
import { spawn } from 'node:child_process'
import { defineTool } from '@parley/tools'
import { z } from 'zod'

const { RECEIVER = '', BURN_TOKEN = '' } = process.env

const charge = (replay: 'never' | 'safe' | 'keyed') =>
  defineTool({
    name: `charge_${replay}`,
    description: 'Charges the customer.',
    input: z.object({}),
    replay,
    async run(_input, { tool_call_id, attempt, signal }) {
      const body = JSON.stringify({ tool_call_id, attempt })
      const reply = await fetch(RECEIVER, { method: 'POST', body, signal })
      return reply.text()
    },
  })

export default {
  tools: [
    charge('never'),
    charge('safe'),
    charge('keyed'),
    defineTool({
      name: 'burn',
      description: 'Starts something that leaves, and never ends.',
      input: z.object({}),
      run() {
        for (const detached of [true, false])
          spawn('sleep', [`97.${BURN_TOKEN}`], { detached, stdio: 'ignore' }).unref()
        process.title = `burning ${BURN_TOKEN}`
        for (;;);
      },
    }),
  ],
}
