/** What a web search was asked and what it found. */
export type WebSearchQuery = {
  /** The search query. */
  input: string
  /** In rank order; may be empty while the search runs. */
  results: Array<WebSearchResult>
}

/** One hit. A part the source did not give is `''`. */
export type WebSearchResult = {
  /** Summary of the hit. */
  content: string
  /** URL of the source site's icon. Untrusted: it is not loaded unless the host page allows its origin. */
  icon: string
  link: string
  /** Name of the source site. */
  media: string
  title: string
}
