/** Tells a server that it is supervised, and how many times in a row it had to be started again. */
export const SUPERVISED = 'PARLEY_SUPERVISED'

/** Who starts this process again when it dies. */
export type Supervisor = {
  /** New starts in a row before this one. */
  restarts: number
  /** The server is up, and speaks this language. */
  ready: (language: 'zh' | 'en') => void
  /** Resolves when the supervisor is gone: nobody would start this server again, or knows that it is there. */
  gone: Promise<void>
}

/** `null`: nobody does. Takes the word out of the environment, which is for this process alone. */
export function findSupervisor(environment: NodeJS.ProcessEnv): Supervisor | null {
  const restarts = environment[SUPERVISED]
  delete environment[SUPERVISED]
  // Without a channel somebody else has set the variable; a channel that is closed already is a supervisor that is gone.
  if (restarts === undefined || process.send === undefined) return null
  return {
    restarts: Number(restarts) || 0,
    // It may be gone meanwhile, which is heard of below.
    ready: (language) => void process.send?.({ ready: language }, undefined, undefined, () => undefined),
    gone: new Promise((resolve) => {
      if (!process.connected) return resolve()
      process.once('disconnect', () => resolve())
    }),
  }
}
