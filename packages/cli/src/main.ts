import { languageOf } from './language.ts'
import { runCommand } from './run-command.ts'
import { createTerminal } from './terminal.ts'

process.exitCode = await runCommand(
  process.argv.slice(2),
  createTerminal({
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    environment: process.env,
    language: languageOf(process.env),
  }),
)
