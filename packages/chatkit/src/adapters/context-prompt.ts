import type { ApplicationContext } from '../model/application-context.ts'

/** How a context reaches a back end that knows only text: in front of it. */
export function contextPrompt(text: string, context: ApplicationContext | undefined): string {
  if (!context) return text
  return `【上下文: ${context.title}】\n${JSON.stringify(context.data, null, 2)}\n\n${text}`
}
