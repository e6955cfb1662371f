/** What pages may style: `parley-chat::part(message)`, and through the launcher `parley-launcher::part(message)`. */
export const KIT_PARTS = [
  'root',
  'header',
  'title',
  'banner',
  'list',
  'message',
  'user-message',
  'assistant-message',
  'error',
  'onboarding',
  'composer',
  'input',
  'send',
  'history',
  'drawer',
] as const
