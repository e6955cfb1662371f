/** When the frames are over, one more, if there is something left to say: why they ended early, or that they did not. */
export async function* withLastWord(
  frames: AsyncIterable<string>,
  lastWord: () => string | null,
): AsyncGenerator<string> {
  yield* frames
  const word = lastWord()
  if (word !== null) yield word
}
