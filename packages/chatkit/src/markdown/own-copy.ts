/**
 * A piece of a text, as a string of its own. A slice keeps alive what it was cut from, and a growing text is another
 * string in every frame: without this, each block of a long answer holds the whole answer as it was at its time.
 */
export const ownCopy = (slice: string): string => ` ${slice}`.slice(1)
