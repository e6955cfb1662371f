/** A highlighter that knows no language: the rivals colour nothing by themselves either. */
export const noColours = { loadHighlighter: async () => () => undefined }
