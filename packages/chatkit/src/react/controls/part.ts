/** Names an element for `::part()`, by which pages style it through a shadow root. React's types do not know it. */
export const part = (name: string): object => ({ part: name })
