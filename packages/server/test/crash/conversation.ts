import type { FakeChoice, FakeReply } from '@parley/testkit'

const LONG = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')

/** The last words of every conversation below. */
export const FINAL = `${LONG} the end.`

/**
 * A model that chooses by what was said and never by a counter, so that it goes on after any crash: several rounds with
 * parallel calls of both kinds, sub-agents three levels deep, one of which asks.
 */
export const conversation: FakeChoice = ({ question, results }) => {
  if (question.startsWith('work')) return work(question, results.length)
  if (question.startsWith('fork')) return forks(results.length)
  if (question.startsWith('level')) return level(Number(question.split(' ')[1]), results)
  if (question.startsWith('risky'))
    return results.length === 0 ? { calls: [{ name: 'Risky', arguments: { mark: question } }] } : { text: FINAL }
  if (question.startsWith('ask')) return results.length === 0 ? ask() : { text: FINAL }
  return { text: `You said ${question}` }
}

function work(question: string, results: number): FakeReply {
  if (results === 0)
    return {
      text: 'First round.',
      calls: [
        { name: 'Count', arguments: { mark: `${question} a` } },
        { name: 'Peek', arguments: { mark: 'b' } },
        { name: 'Count', arguments: { mark: `${question} c` } },
        { name: 'Peek', arguments: { mark: 'd' } },
      ],
    }
  if (results === 4)
    return {
      thinking: 'One more.',
      text: 'Second round.',
      calls: [{ name: 'Count', arguments: { mark: `${question} e` } }],
    }
  return { text: FINAL, chunkDelayMs: 3 }
}

function forks(results: number): FakeReply {
  if (results > 0) return { text: FINAL }
  return {
    text: 'Two helpers.',
    calls: [
      { name: 'Agent', arguments: { description: 'deep', prompt: 'level 2' } },
      { name: 'Agent', arguments: { description: 'flat', prompt: 'level 0' } },
    ],
  }
}

/** The deepest asks; the others hand down. */
function level(depth: number, results: readonly string[]): FakeReply {
  if (results.length > 0) return { text: `level ${depth} done`, chunkDelayMs: 2 }
  if (depth === 0) return { text: 'flat', calls: [{ name: 'Peek', arguments: { mark: 'flat' } }] }
  if (depth === 1) return ask()
  return {
    text: 'deeper',
    calls: [{ name: 'Agent', arguments: { description: `level ${depth - 1}`, prompt: `level ${depth - 1}` } }],
  }
}

function ask(): FakeReply {
  return {
    text: 'A question.',
    calls: [
      {
        name: 'AskUserQuestion',
        arguments: { questions: [{ question: 'Which?', options: [{ label: 'this' }, { label: 'that' }] }] },
      },
    ],
  }
}
