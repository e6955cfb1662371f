import type { ApplicationContext } from '../model/application-context.ts'

/** A copy the host page cannot change any more. What cannot be cloned (functions, DOM nodes) goes as JSON, or not. */
export function copyContext({ title, data }: ApplicationContext): ApplicationContext {
  return { title, data: copy(data) }
}

export function checkContext(context: unknown): asserts context is ApplicationContext {
  const title = (context as ApplicationContext | null | undefined)?.title
  if (typeof title !== 'string' || title === '')
    throw new TypeError('An application context needs a title: { title: "…", data: … }.')
}

function copy(data: unknown): unknown {
  try {
    return structuredClone(data)
  } catch {
    const text = JSON.stringify(data) as string | undefined
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  }
}
