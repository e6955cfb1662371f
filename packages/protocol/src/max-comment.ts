/** The longest comment on an answer that is kept, in UTF-16 units, as text boxes count them. */
export const MAX_COMMENT = 2_000
