/** Vite hands a style sheet over as text. */
declare module '*.css?inline' {
  const text: string
  export default text
}
