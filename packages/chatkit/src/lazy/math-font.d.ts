/** Types of `@parley/chatkit/math-font`, which is made when the kit is built. */

/** A font for formulas: WOFF 2, in Base64. */
export declare const font: string
