import { z } from 'zod'

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an address such as https://search.example.com' })
const key = z.string().min(1)

/** Who answers WebSearch. Without it there is no such tool. */
export const searchOptionsSchema = z.discriminatedUnion('provider', [
  z.strictObject({
    provider: z.literal('searxng'),
    /** Where the instance is, e.g. http://localhost:8888; its settings must allow the `json` format. */
    url: httpUrl,
    /** For a proxy in front of it: `user:password`, or a bearer token. Default none. */
    key: key.optional(),
  }),
  z.strictObject({
    provider: z.literal('tavily'),
    /** Default https://api.tavily.com. */
    url: httpUrl.optional(),
    key,
  }),
  z.strictObject({
    provider: z.literal('brave'),
    /** Default https://api.search.brave.com. */
    url: httpUrl.optional(),
    /** The subscription token. */
    key,
  }),
])

export type SearchOptions = z.infer<typeof searchOptionsSchema>
