import { z } from 'zod'

/**
 * One part of a user's message: text, an image as a `data:` or `https:` URL, or a file as base64. An image's `name` is that
 * of the file it was.
 */
export const messagePartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('image_url'),
    image_url: z.object({ url: z.string() }),
    name: z.string().min(1).max(255).optional(),
  }),
  z.object({ type: z.literal('file'), name: z.string().min(1), data: z.string() }),
])
export type MessageContentPart = z.infer<typeof messagePartSchema>

export const messageContentSchema = z.union([z.string(), z.array(messagePartSchema)])
export type MessageContent = z.infer<typeof messageContentSchema>
