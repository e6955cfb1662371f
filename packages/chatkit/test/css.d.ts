/** Vite takes style sheets as imports; the compiler need not look inside. */
declare module '*.css'
