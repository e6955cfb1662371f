/** A tool that runs in the page. What it returns goes to the model as JSON, or as it is when it is text. */
export type ClientTool = {
  description?: string
  /** JSON Schema of the input. */
  parameters?: object
  run(input: unknown, options: { signal: AbortSignal }): unknown
}

/** `text` is what the model gets to read. */
export type ClientToolResult =
  | { status: 'done'; output: unknown; text: string }
  | { status: 'error'; error: string; text: string }

/** A tool that throws is an answer too: the model is told. */
export async function runClientTool(
  tool: ClientTool | undefined,
  input: unknown,
  options: { signal: AbortSignal },
): Promise<ClientToolResult> {
  try {
    const output = await tool?.run(input, options)
    return { status: 'done', output, text: typeof output === 'string' ? output : (JSON.stringify(output) ?? '') }
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : String(cause)
    return { status: 'error', error, text: `Error: ${error}` }
  }
}
