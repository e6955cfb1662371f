/** What one search is told, beside where it takes place. */
export type Search = {
  /** `text`: lines that `pattern` finds in files. `files`: paths that `pattern` finds, as `./` and the path. A regular expression of ripgrep's. */
  looksAt: 'text' | 'files'
  pattern: string
  /** More options for ripgrep. */
  options: readonly string[]
  /** Where to look, relative to the workspace; an existing directory or regular file. */
  path: string
  /** Lines at most; the one after the last is found too, and tells that there are more. */
  limit: number
}

export type ScriptOptions = {
  ripgrep: string
  /** Ends each search's output, with how it ended. Nobody who writes files can know it. */
  mark: string
  /** Only where the files that ripgrep then opens can be none of the host's. */
  usesIgnoreFiles: boolean
}

/** Memory and processor seconds of one search: an ignore file may be endless, a line as long as a disk. */
const MEMORY_KB = 512 * 1024
const CPU_SECONDS = 60

/** Nothing outside the workspace has a say: no configuration, no ignore files above it or of the machine's user. */
const CONFINED = [
  '--no-config',
  '--no-follow',
  '--no-messages',
  '--no-mmap',
  '--no-ignore-parent',
  '--no-ignore-global',
  // A workspace is seldom a repository; its .gitignore counts all the same.
  '--no-require-git',
  '--hidden',
  '--color=never',
  '--sort=path',
]

const SETUP = `
ulimit -v ${MEMORY_KB} -t ${CPU_SECONDS} 2>/dev/null
search() {
  local lines=$1
  shift
  "$@" </dev/null 2>&1 | head -n "$lines"
  printf '\\n%s %s\\n' "$mark" "\${PIPESTATUS[0]}"
}
text() {
  local pattern=$1
  shift
  "$rg" "\${confined[@]}" --regexp="$pattern" "$@"
}
# A list that a limit cut short says so; one that met something unreadable does not.
files() {
  local pattern=$1 codes
  shift
  "$rg" "\${confined[@]}" --files "$@" | "$rg" --no-config --color=never --text --regexp="$pattern" -
  codes=("\${PIPESTATUS[@]}")
  ((codes[0] > 2)) && return "\${codes[0]}"
  return "\${codes[1]}"
}
printf '\\n%s\\n' "$mark"
while IFS= read -r -d '' call; do eval "$call"; done
`

/**
 * For Bash in the workspace: prints `mark` on a line, then does what `searchCall` says, again and again. Each prints what it
 * finds, then `mark` and its exit code on a line.
 */
export function workerScript({ ripgrep, mark, usesIgnoreFiles }: ScriptOptions): string {
  const confined = [...CONFINED, ...(usesIgnoreFiles ? [] : ['--no-ignore']), '--glob=!.git']
  const known = `mark=${quoted(mark)} rg=${quoted(ripgrep)} confined=(${confined.map(quoted).join(' ')})`
  return `${known}\n${SETUP}`
}

/** What the worker reads for one search, but for the NUL that ends it. */
export function searchCall({ limit, looksAt, pattern, options, path }: Search, usesIgnoreFiles: boolean): string {
  const ignoring = usesIgnoreFiles ? ignoreFile(path) : []
  const place = path === '.' ? './' : `./${path}`
  return ['search', `${limit + 1}`, looksAt, pattern, ...options, ...ignoring, '--', place].map(quoted).join(' ')
}

/** Below the root its own ignore file would not be looked at. Patterns in it are relative to the root, as ripgrep runs there. */
function ignoreFile(path: string): string[] {
  return path === '.' ? [] : ['--ignore-file=.gitignore']
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
