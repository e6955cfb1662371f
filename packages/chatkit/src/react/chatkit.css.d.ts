/** A style sheet is imported for its effect: there is nothing to take from it. */
export type Nothing = never
