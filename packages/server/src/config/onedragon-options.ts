import { z } from 'zod'

const timeZone = z.string().refine(isTimeZone, 'must be a time zone such as Asia/Shanghai')

/** How the OneDragon chat protocol is spoken. */
export const onedragonSchema = z.strictObject({
  /** Where its paths begin, e.g. `/od` for `/od/chat/stream`. Default: at the root. */
  prefix: z
    .string()
    .regex(/^(?:\/[\w.~-]+)*$/, 'must be a path such as /od, without a slash at its end')
    .default(''),
  /** What answers are signed with. Default `OneDragon`. */
  name: z.string().min(1).max(100).default('OneDragon'),
  /** Zone of the timestamps, which name none. Default `Asia/Shanghai`, wherever the server stands. */
  timeZone: timeZone.default('Asia/Shanghai'),
  /** Model calls for one input; at the limit the model is asked once more, without tools, to sum up. Default 100. */
  maxTurns: z.int().min(1).max(1_000).default(100),
  /** A message is told again at most this often, in milliseconds; a long one less often. Default 50. */
  updateIntervalMs: z.int().min(1).max(10_000).default(50),
  /** Shows what the model thinks. Default false. */
  showThinking: z.boolean().default(false),
  /** Sends text as calls of `generate_response`, to test clients with. Default false. */
  emitGenerateResponse: z.boolean().default(false),
})

export type OneDragonOptions = z.output<typeof onedragonSchema>

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
