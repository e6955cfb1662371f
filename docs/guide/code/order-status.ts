import { defineTool, runTool } from '@parley/tools'
import { z } from 'zod'

export const orderStatus = defineTool({
  name: 'order_status',
  description: 'Tells where an order of the signed-in customer is.',
  input: z.object({ order: z.string().regex(/^A-\d+$/) }),
  readOnly: true, // runs beside others, and while a plan is made
  replay: 'safe', // after a crash it runs again
  run: ({ order }, { subject }) => ({ order, customer: subject, status: 'on its way' }),
})

// Your own test of it, as the server would call it.
if (import.meta.main)
  console.log(await runTool(orderStatus, { order: 'A-7' }, { subject: 'customer 7' }))
