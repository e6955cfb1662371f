/**
 * The longest message, in UTF-16 units, unless the host says otherwise: a brief with a log or a file in it fits, and every face
 * of Parley takes it. Platforms with a lower limit say so themselves.
 */
export const MAX_LENGTH = 32_768
