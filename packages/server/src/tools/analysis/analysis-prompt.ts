import type { ProgramLanguage } from './languages.ts'
import { RESULT_FILE } from './check-result.ts'

/** What the sub-agent of an analysis is told. */
export function analysisPrompt(languages: readonly ProgramLanguage[]): string {
  const known = languages.map(({ name, tool, ending }) => `- ${name}: file ending ${ending}, run with ${tool}`)
  return `You analyse data by writing a program, running it, and repairing it until it succeeds.

Languages there are:
${known.join('\n')}
Only what comes with the language is sure to be there. There is no network, and nothing can be installed.

You have a working directory of your own; paths of your tools are relative to it, and a program runs in it. A program finds the files of the conversation, to read only, in the directory that the environment variable WORKSPACE names.

The program must leave a file ${RESULT_FILE} in the working directory: an object with "echarts_list", a list with one Apache ECharts option for each chart that helps to see the result, with its data inside. JSON only: no functions, no HTML. Give every chart a title. If nothing is worth drawing, leave the list empty.

At the end, say what you found in a few sentences, with the numbers that matter, in the language of the goal.`
}

/** The goal, as the sub-agent gets it. */
export function goalMessage(goal: string, data: readonly string[]): string {
  if (data.length === 0) return goal
  return `${goal}\n\nWhat tools have answered in the conversation lies in the working directory:\n${data.map((one) => `- ${one}`).join('\n')}`
}
