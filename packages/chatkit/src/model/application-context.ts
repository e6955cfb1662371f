/** What the user's text is about, given by the host page. */
export type ApplicationContext = {
  /** Shown above the input box. */
  title: string
  // The specification says `any`, and hosts read their own data back without a cast.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

/** Opening text (Markdown) and preset questions. */
export type OnboardingInfo = {
  prologue: string
  predefinedQuestions: Array<string>
}

/** One event of an EventStream. `data` is not parsed; `event` is `''` when the stream did not name it. */
export type EventStreamMessage = { event: string; data: string }
