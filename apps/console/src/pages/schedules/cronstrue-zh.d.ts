/** Adds Chinese to what the package speaks; it exports nothing. */
declare module 'cronstrue/locales/zh_CN'
