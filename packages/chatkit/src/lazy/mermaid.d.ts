/** Types of `@parley/chatkit/mermaid`, which is made when the kit is built. */

/** The Mermaid library as the text of a classic script. */
export declare const source: string
