import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { replaceFile } from '../../workspace/files/replace-file.ts'
import { openFile } from '../../workspace/files/open-file.ts'
import { defineTool, type ToolDefinition } from '../define-tool.ts'
import type { ProgramLanguage } from './languages.ts'
import { runProgram } from './run-program.ts'

export type ProgramToolsOptions = {
  sandbox: Sandbox
  leaseMs: number
  languages: readonly ProgramLanguage[]
  /** The session's files, which programs may read. */
  reads: string
}

const MAX_SECONDS = 300
const MAX_CHARACTERS = 512 * 1024
const MAX_VIEWED_BYTES = 1024 * 1024
/** Of each stream, for the model: its beginning and its end. */
const SHOWN_CHARACTERS = 8_000

const path = z.string().min(1).max(1_000).describe('Relative to the working directory')

/** What the sub-agent of an analysis works with: files of its own directory, and programs there. */
export function programTools(options: ProgramToolsOptions): ToolDefinition[] {
  return [viewTextFile, writeTextFile, insertTextFile, ...options.languages.map((one) => execute(one, options))]
}

const viewTextFile = defineTool({
  name: 'view_text_file',
  display_name: { zh: '查看文件', en: 'View file' },
  description: 'View a text file of the working directory, with line numbers.',
  provider: 'builtin',
  readOnly: true,
  input: z.object({
    file_path: path,
    ranges: z
      .tuple([z.int().min(1), z.int().min(1)])
      .optional()
      .describe('First and last line'),
  }),
  async run({ file_path, ranges: [first, last] = [1, Infinity] }, { workspace }) {
    const lines = (await textOf(workspace, file_path)).split('\n')
    return lines
      .map((line, index) => `${index + 1}: ${line}`)
      .slice(first - 1, last)
      .join('\n')
  },
})

const writeTextFile = defineTool({
  name: 'write_text_file',
  display_name: { zh: '写入文件', en: 'Write file' },
  description:
    'Write a text file of the working directory. With ranges, only those lines are replaced; else the whole file.',
  provider: 'builtin',
  input: z.object({
    file_path: path,
    content: z.string().max(MAX_CHARACTERS),
    ranges: z
      .tuple([z.int().min(1), z.int().min(1)])
      .optional()
      .describe('First and last line to replace'),
  }),
  async run({ file_path, content, ranges }, { workspace }) {
    if (!ranges) return write(workspace, file_path, content)
    const lines = (await textOf(workspace, file_path)).split('\n')
    const [first, last] = ranges
    lines.splice(first - 1, last - first + 1, ...content.split('\n'))
    return write(workspace, file_path, lines.join('\n'))
  },
})

const insertTextFile = defineTool({
  name: 'insert_text_file',
  display_name: { zh: '插入内容', en: 'Insert into file' },
  description: 'Insert text into a file of the working directory, before the given line.',
  provider: 'builtin',
  input: z.object({ file_path: path, content: z.string().max(MAX_CHARACTERS), line_number: z.int().min(1) }),
  async run({ file_path, content, line_number }, { workspace }) {
    const lines = (await textOf(workspace, file_path)).split('\n')
    if (line_number > lines.length + 1) throw new Error(`${file_path} has only ${lines.length} lines.`)
    lines.splice(line_number - 1, 0, ...content.split('\n'))
    return write(workspace, file_path, lines.join('\n'))
  },
})

function execute({ tool, name, ending, command }: ProgramLanguage, options: ProgramToolsOptions): ToolDefinition {
  const { sandbox, leaseMs, reads } = options
  return defineTool({
    name: tool,
    display_name: { zh: '运行程序', en: 'Run program' },
    description: `Run a program of the working directory, written in ${name}. It has no network; it may change its working directory alone.`,
    provider: 'builtin',
    input: z.object({
      code_file_path: path.describe(`Relative to the working directory, for example main${ending}`),
      timeout: z.number().positive().max(MAX_SECONDS).default(MAX_SECONDS).describe('Seconds'),
    }),
    async run({ code_file_path, timeout }, { workspace, signal }) {
      // Looked at first: what is not in the directory is no program of its.
      await using file = await openFile(workspace, code_file_path)
      const { code, stdout, stderr } = await runProgram({
        ...{ workspace, reads, sandbox, leaseMs, signal },
        command: command(`./${file.path}`),
        timeLimitMs: timeout * 1_000,
      })
      return `<returncode>${code}</returncode><stdout>${shown(stdout)}</stdout><stderr>${shown(stderr)}</stderr>`
    },
  })
}

async function textOf(directory: string, file_path: string): Promise<string> {
  await using file = await openFile(directory, file_path)
  if (file.stats.size > MAX_VIEWED_BYTES)
    throw new Error(`${file_path} has ${file.stats.size} bytes; at most ${MAX_VIEWED_BYTES} are shown. Use a program.`)
  const bytes = Buffer.alloc(MAX_VIEWED_BYTES)
  const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, 0)
  return bytes.toString('utf8', 0, bytesRead)
}

async function write(directory: string, file_path: string, content: string): Promise<string> {
  await replaceFile(directory, file_path, { fill: (file) => file.writeFile(content) })
  return `Wrote ${file_path}.`
}

function shown(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text
  const half = SHOWN_CHARACTERS / 2
  return `${text.slice(0, half)}\n… (${text.length - 2 * half} characters left out) …\n${text.slice(-half)}`
}
