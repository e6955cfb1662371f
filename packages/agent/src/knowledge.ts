/** Named in the protocol, and not there yet: whoever uses it is told so, by name. */
export class NotSupportedError extends Error {
  override readonly name = 'NotSupportedError'
  readonly code = 'NOT_SUPPORTED'

  constructor(what: string) {
    super(`${what}: there is no knowledge base yet; nothing was done.`)
  }
}

/* oxlint-disable typescript/no-extraneous-class -- names that programs import */
export class KnowledgeStore {
  constructor() {
    throw new NotSupportedError('KnowledgeStore')
  }
}

export class Retriever {
  constructor() {
    throw new NotSupportedError('Retriever')
  }
}
