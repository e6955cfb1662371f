/** What anybody may send, over any transport, before it is known who they are: a greeting is a few hundred bytes. */
export const STRANGER_BYTES = 16 * 1024
/** What those who have come through the door may send at once. Uploads have a limit of their own. */
export const BODY_BYTES = 20 * 1024 * 1024
