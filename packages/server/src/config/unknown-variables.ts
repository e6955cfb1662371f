import { nearestName } from '../words/nearest-name.ts'

const PREFIX = 'PARLEY_'

/** Variables of ours that are no option of the server: of the command line, of our tests, of commands in a sandbox. */
const ELSEWHERE = ['PARLEY_URL', 'PARLEY_KEY', 'PARLEY_FUZZ', 'PARLEY_GUARD']

/** What Kubernetes tells every program about a service named `parley`. */
const OF_KUBERNETES = /^PARLEY_(?:SERVICE_|PORT_\d)/

/** A sentence for each variable that looks like one of ours and is none: it was meant, and does nothing. */
export function unknownVariables(environment: NodeJS.ProcessEnv, options: readonly string[]): string[] {
  const known = options.filter((name) => name.startsWith(PREFIX))
  return Object.keys(environment)
    .filter((name) => environment[name] && isMeantForUs(name, known))
    .filter((name) => ![...known, ...ELSEWHERE].includes(name) && !OF_KUBERNETES.test(name))
    .map((name) => `${name} is set, but there is no such variable: it changes nothing. ${advice(name, known)}`)
}

/** Ours by its first word; or with a slip in just that. */
function isMeantForUs(name: string, known: readonly string[]): boolean {
  if (name.toUpperCase().startsWith(PREFIX)) return true
  const [first = ''] = name.split('_', 1)
  const isSlip = nearestName(first, ['PARLEY']) !== undefined && /^[PARLEY]{5,7}$/.test(first)
  return isSlip && known.includes(PREFIX + restOf(name))
}

function advice(name: string, known: readonly string[]): string {
  // Compared without the first word, which would make all of them look alike.
  const meant = nearestName(restOf(name), known.map(restOf))
  return meant === undefined ? `There are: ${known.join(', ')}.` : `Did you mean ${PREFIX}${meant}?`
}

function restOf(name: string): string {
  return name.slice(name.indexOf('_') + 1)
}
