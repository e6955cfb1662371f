import { z } from 'zod'
import { hostList } from './host-list.ts'

const host = z.string().superRefine((entry, context) => {
  try {
    hostList([entry])
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
  }
})

/**
 * Which hosts may be asked. By default tools reach whatever is on the public internet, and the endpoints that the
 * configuration names may be anywhere.
 */
export const egressOptionsSchema = z.strictObject({
  /**
   * Hosts that a model may choose although they are not public: `wiki.corp`, `*.corp`, `10.1.2.3`, `10.0.0.0/8`.
   * Default none.
   */
  allow: z.array(host).optional(),
  /** Hosts that nothing may ask, written the same way; stronger than `allow` and than the configuration. Default none. */
  deny: z.array(host).optional(),
  /** Ports that a model may choose. Default: 80, 443 and everything from 1024 on, without what browsers refuse. */
  ports: z.array(z.int().min(1).max(65_535)).optional(),
})

export type EgressOptions = z.infer<typeof egressOptionsSchema>
