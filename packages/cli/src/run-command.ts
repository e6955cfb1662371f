import { agents } from './commands/agents.ts'
import { chat } from './commands/chat.ts'
import { crash } from './commands/crash.ts'
import { keys } from './commands/keys.ts'
import { knowledge } from './commands/knowledge.ts'
import { run } from './commands/run.ts'
import { serve } from './commands/serve.ts'
import { sessions } from './commands/sessions.ts'
import { signInLink } from './commands/sign-in-link.ts'
import { users } from './commands/users.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { explain } from './explain.ts'
import { helpText } from './help.ts'
import { languageOfTag, takeLanguage } from './language.ts'
import type { Terminal } from './terminal.ts'
import { wordsOf } from './words.ts'

const VERSION = '0.1.0'

const COMMANDS: Record<string, (args: string[], terminal: Terminal) => Promise<ExitCode>> = {
  serve,
  chat,
  run,
  keys,
  users,
  sessions,
  agents,
  knowledge,
  crash,
  'sign-in-link': signInLink,
}

/** One command line, from its words to its exit code. */
export async function runCommand(line: readonly string[], given: Terminal): Promise<ExitCode> {
  const { rest, wanted } = takeLanguage(line)
  const language = wanted === undefined ? given.language : languageOfTag(wanted)
  if (language === undefined) {
    given.errors.write(`${given.words.badLanguage(wanted!)}\n`)
    return EXIT.usage
  }
  const terminal: Terminal = { ...given, language, words: wordsOf(language) }
  const [name, ...args] = rest
  const { words, output, errors, style } = terminal
  if (name === undefined || name === 'help' || [name, ...args].some((arg) => arg === '--help' || arg === '-h')) {
    output.write(helpText(language, Object.hasOwn(COMMANDS, name ?? '') ? name : undefined))
    return name === undefined ? EXIT.usage : EXIT.ok
  }
  if (name === '--version' || name === '-v') {
    output.write(`${VERSION}\n`)
    return EXIT.ok
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) {
    errors.write(`${words.unknown(name)} ${words.seeHelp}\n`)
    return EXIT.usage
  }
  try {
    return await command(args, terminal)
  } catch (error) {
    const { message, exitCode } = explain(error, words)
    errors.write(`${style.red(message)}\n`)
    return exitCode
  }
}
