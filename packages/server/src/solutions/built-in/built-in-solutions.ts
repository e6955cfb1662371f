import type { BuiltInSolution } from '../../agents/built-in-solutions.ts'
import { generalChat } from './general-chat.ts'
import { skillEditor } from './skill-editor.ts'
import { softwareFactory } from './software-factory.ts'

/** Under the ids that existing programs name. A folder of the same id takes the place of one. */
export const BUILT_IN_SOLUTIONS: readonly BuiltInSolution[] = [generalChat, skillEditor, softwareFactory]
