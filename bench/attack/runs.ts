/** What a hostile model asks of its server, run by run. */
import { SHAPES } from './shapes.ts'

/** A message that tells the provider what to answer, and what else the request carries. */
export type Attack = { message: object; output_schema?: object }

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const call = (name: string, input: unknown): Attack => ({ message: { calls: [[name, input]] } })
const bash = (command: string): Attack => call('Bash', { command, timeout_ms: 20_000 })

const MEMFD = `import os, time
fd = os.memfd_create("x")
block = b"x" * 1_000_000
for _ in range(8_000): os.write(fd, block)
time.sleep(5)`

const EVIL_PATTERNS = ['^(a+)+$', '^(a|a)*$', '^(.*a){20}$', '^([a-zA-Z]+)*$', '(x+x+)+y']

export const ATTACKS: Attack[] = [
  ...Array.from({ length: SHAPES + 100 }, (_, shape) => ({ message: { shape } })),
  ...['text', 'thinking', 'arguments', 'calls'].map((flood) => ({ message: { flood } })),
  ...[90, 6_000, 200_000].flatMap((depth) => [
    call('Write', `{"file_path":"a","content":${nested(depth)}}`),
    call('AskUserQuestion', `{"questions":${nested(depth)}}`),
    call('Agent', `{"description":"x","prompt":"x","tools":${nested(depth)}}`),
    call('mcp__hostile__pattern', `{"text":${nested(depth)}}`),
    call('no_such_tool', nested(depth)),
  ]),
  ...EVIL_PATTERNS.flatMap((pattern) => [
    {
      message: { calls: [['submit_result', { result: `${'a'.repeat(40)}!` }]] },
      output_schema: { type: 'string', pattern },
    },
    {
      message: { calls: [['submit_result', { [`${'a'.repeat(40)}!`]: 1 }]] },
      output_schema: { type: 'object', patternProperties: { [pattern]: {} }, additionalProperties: false },
    },
    call('Grep', { pattern }),
  ]),
  ...[10, 25, 60].flatMap((times) => [
    call('Glob', { pattern: `${'*a'.repeat(times)}b` }),
    call('Glob', { pattern: `${'**/'.repeat(times)}b` }),
    call('Glob', { pattern: `{${'a,'.repeat(times)}}`.repeat(3) }),
    call('Grep', { pattern: 'x', glob: `${'*a'.repeat(times)}b` }),
  ]),
  ...['deep', 'long', 'wide', 'meta', 'flood'].map((name) => call(`mcp__hostile__${name}`, {})),
  call('mcp__hostile__pattern', { text: `${'a'.repeat(40)}!` }),
  bash('ln -sf /dev/zero .gitignore; ln -sf /dev/zero .ignore; ln -sf / root; touch ' + 'a'.repeat(200)),
  { message: { calls: Array.from({ length: 1_000 }, () => ['Grep', { pattern: 'x' }]) } },
  { message: { calls: Array.from({ length: 500 }, () => ['Glob', { pattern: '**/*' }]) } },
  bash('for i in $(seq 3000); do mkdir d && cd d || break; done; echo $i'),
  bash(`python3 -c '${MEMFD}'`),
  bash('dd if=/dev/zero of=/dev/shm/x bs=1M count=4000'),
  bash(':(){ :|:& };:'),
  bash('yes | head -c 200000000'),
  bash('head -c 100000000 /dev/zero | tr "\\0" "[" '),
  ...[
    'http://127.0.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://169.254.169.254/',
  ].map((url) => call('WebFetch', { url })),
  call('Read', { file_path: 'root/etc/shadow' }),
  call('Write', { file_path: `${'d/'.repeat(3_000)}x`, content: 'x' }),
]
