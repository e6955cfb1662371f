import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listening, newHome, refused, start } from './home.ts'

const OWNER_KEY = 'sk-owner-0123456789012345678901234567'

const MISTYPED = {
  PARLEY_MODLE_URL: 'PARLEY_MODEL_URL',
  PARLEY_MODLE: 'PARLEY_MODEL',
  PARLEY_PROT: 'PARLEY_PORT',
  PARLEY_MODELURL: 'PARLEY_MODEL_URL',
  PARLY_MODEL_URL: 'PARLEY_MODEL_URL',
  parley_owner_key: 'PARLEY_OWNER_KEY',
  PARLEY_CONFIGURATION: 'PARLEY_CONFIG',
}

test('each mistyped variable is said to do nothing, and which may be meant', async () => {
  await using home = await newHome()
  await using server = start(home.path, MISTYPED)
  await listening(server)
  for (const [name, meant] of Object.entries(MISTYPED))
    await server.line(new RegExp(`${name} is set, but there is no such variable.*Did you mean ${meant}\\?`))
})

test('variables of the command line, of Kubernetes and of others are not complained about', async () => {
  await using home = await newHome()
  const env = {
    PARLEY_URL: 'x',
    PARLEY_KEY: 'x',
    PARLEY_SERVICE_HOST: 'x',
    PARLEY_PORT_8020_TCP: 'x',
    PARSER_PORT: 'x',
  }
  await using server = start(home.path, env)
  await listening(server)
  expect(server.lines.join('\n')).not.toContain('no such variable')
})

test.each([
  ['a name that is near no other', { PARLEY_COLOUR: 'red' }, /PARLEY_COLOUR .*There are: PARLEY_HOST, PARLEY_PORT/],
  ['a key without an address', { PARLEY_MODEL_KEY: 'k' }, /PARLEY_MODEL_KEY .*PARLEY_MODEL_URL is missing/],
  ['an address without a key', { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, /without OPENAI_API_KEY, and not used/],
])('%s is said', async (_what, env, message) => {
  await using home = await newHome()
  await using server = start(home.path, { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', ...env })
  await server.line(message)
  await listening(server)
})

test('a model that nobody offers ends the start with exit code 2, and the demo does not answer in its place', async () => {
  await using home = await newHome()
  const env = { PARLEY_MODEL: 'qwen3', OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' }
  await refused(home.path, { env, code: 2 }, [
    /PARLEY_MODEL names qwen3/,
    /PARLEY_MODEL_URL.*ANTHROPIC_API_KEY.*OPENAI_API_KEY/,
  ])
})

const BROKEN = '{\n  "port": 8020,\n  "host": localhost\n}'

test.each([
  ['a stray word', { ending: 'json', text: BROKEN }, '3:11: '],
  ['a comma too many', { ending: 'json', text: '{\n  "port": 8020,\n}' }, '3:1: '],
  ['an end too early', { ending: 'json', text: '{\n  "port": 8020' }, '2:15: '],
  ['an empty file', { ending: 'json', text: '' }, '1:1: '],
  ['a comment', { ending: 'json', text: '{\n  // mine\n}' }, '2:3: '],
  ['a value left out', { ending: 'js', text: 'export default {\n  port: ,\n}\n' }, '2:9: '],
  [
    'a comma left out',
    { ending: 'ts', text: 'export default {\n  port: 1\n  host: "x",\n}\n' },
    "3:3: Expected ',', got 'host'",
  ],
  [
    'no end of a string',
    { ending: 'ts', text: 'const a: number = 1\nexport default {\n  host: "x\',\n  port: a,\n}\n' },
    '3:9: The string that begins here has no end',
  ],
  [
    'no end of a string in JavaScript',
    { ending: 'js', text: "export default {\n  host: 'it\\'s,\n  port: 1,\n}\n" },
    '2:9: The string that begins here has no end',
  ],
  ['no end of the whole', { ending: 'ts', text: 'export default {\n  port: 1,\n' }, '2: The file ends too early'],
  [
    'a function that is not there',
    { ending: 'ts', text: 'import { z } from "zod"\nexport default {\n  port: z.strng(),\n}\n' },
    '3:11: z.strng is not a function',
  ],
  [
    'a throw',
    { ending: 'js', text: 'export default {}\n// it\'s\nthrow new Error("No secret.")\n' },
    '3:7: No secret.',
  ],
  [
    'a slip in a tool',
    {
      ending: 'ts',
      text: 'import { defineTool } from "@parley/tools"\nexport default { tools: [\n  defineTool({ name: "a", description: "x", input: { type: "object" }, readonly: true, run: () => 1 }),\n] }\n',
    },
    '3:3: defineTool("a"): readonly: there is no such field. Did you mean readOnly?',
  ],
  ['no default', { ending: 'ts', text: 'export const port = 1\n' }, ' has no default export'],
])('[D9] %s in a configuration file is shown with line and column', async (_what, { ending, text }, said) => {
  await using home = await newHome({ [`parley.config.${ending}`]: text })
  const program = await refused(home.path, { code: 2 }, [/The configuration is wrong:/])
  expect(program.lines.join('\n')).toContain(`parley.config.${ending}:${said}`)
})

test('PARLEY_CONFIG names a configuration file elsewhere, and that one counts', async () => {
  await using home = await newHome({ 'parley.config.json': BROKEN })
  await mkdir(join(home.path, 'etc'))
  await writeFile(join(home.path, 'etc/ours.json'), '{ "modelURI": "x" }')
  await refused(home.path, { env: { PARLEY_CONFIG: 'etc/ours.json' }, code: 2 }, [
    /etc\/ours\.json is wrong/,
    /modelURI: .*Did you mean modelUrl\?/,
  ])
  await refused(home.path, { env: { PARLEY_CONFIG: 'etc/mine.json' }, code: 2 }, [
    /PARLEY_CONFIG names .*etc\/mine\.json.*no such file/,
  ])
  await refused(home.path, { env: { PARLEY_CONFIG: 'data.yaml' }, code: 2 }, [/PARLEY_CONFIG/])
})

test.each([
  ['PARLEY_PORT', 'abc', /port \(PARLEY_PORT\): must be a number, not "abc"/],
  ['PARLEY_DRAIN_MS', '10s', /drainMs \(PARLEY_DRAIN_MS\): must be a number, not "10s"/],
])('[D9] %s=%s is refused in words', async (name, value, message) => {
  await using home = await newHome()
  await refused(home.path, { env: { [name]: value }, code: 2 }, [message])
})

test.each([
  ['{ "prices": { "m": { "input": 0.1234567, "output": 1 } } }', /prices\.m\.input: must have at most six decimals/],
  ['{ "prices": { "m": { "input": -1, "output": 1 } } }', /prices\.m\.input: /],
  ['{ "prices": { "m": { "input": 1 } } }', /prices\.m\.output: /],
  ['{ "prices": { "m": { "input": 1, "output": 1, "cache": 1 } } }', /prices\.m\.cache: there is no such option/],
  [
    '{ "models": [{ "id": "m", "provider": "demo", "price": { "input": "1", "output": 1 } }] }',
    /models\.0\.price\.input: /,
  ],
  ['{ "currency": "dollars" }', /currency: must be a code such as USD/],
])('[D9] a price that cannot be meant is refused by its name: %s', async (text, message) => {
  await using home = await newHome({ 'parley.config.json': text })
  await refused(home.path, { code: 2 }, [message])
})

test('an option inside another is named with the one that holds it', async () => {
  await using home = await newHome({ 'parley.config.json': '{ "policy": { "rule": [] } }' })
  await refused(home.path, { code: 2 }, [/policy\.rule: there is no such option/])
})

test('rules of the policy that fit no tool are said, and those that may fit one later are not', async () => {
  const rules = ['bash', 'Delete*', 'mcp__files__raed', 'mcp__gone__*', 'skill__mine', 'Ba*', '*', 'AskUserQuestion']
  const config = { policy: { rules: rules.map((tool) => ({ tool, decision: 'deny' })) } }
  await using home = await newHome({ 'parley.config.json': JSON.stringify(config) })
  await using server = start(home.path)
  await server.line(/"bash\\?".*no tool has such a name.*Did you mean Bash\?/)
  await server.line(/"mcp__gone__\*\\?".*no tool has such a name/)
  await listening(server)
  const said = server.lines.filter((line) => line.includes('no tool has such a name'))
  expect(said.map((line) => /tool: \\"(.*?)\\"/.exec(line)?.[1])).toEqual(rules.slice(0, 4))
})

test('a directory of skills that is not there is said at the start', async () => {
  await using home = await newHome({ 'parley.config.json': '{ "skillDirs": ["skills"] }' })
  await using server = start(home.path)
  await server.line(/skill directory .*\/skills cannot be read.*no such file/)
  await listening(server)
})

test.each([
  [{ LANG: 'en_GB.UTF-8' }, 'en'],
  [{ LANG: 'zh_CN.UTF-8' }, 'zh'],
  [{ LANG: 'en_US.UTF-8', LC_ALL: 'zh_TW' }, 'zh'],
  [{ LANG: 'en_US.UTF-8', PARLEY_LANGUAGE: 'zh' }, 'zh'],
  [{ LANG: 'C.UTF-8' }, 'zh'],
  [{ LANG: 'fr_FR.UTF-8' }, 'zh'],
])('[D9] with %o the log is in %s alone', async (env, language) => {
  await using home = await newHome()
  await using server = start(home.path, { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', ...env })
  await server.line(/code=/)
  const lines = server.lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(lines.length).toBeGreaterThan(4)
  for (const line of lines) expect(/\p{Script=Han}/u.test(line), line).toBe(language === 'zh')
  expect(lines.join('\n').includes('listening on')).toBe(language === 'en')
})

test('[W12.13.3] the directory of agents may be made while the server runs, and none is missed before', async () => {
  await using home = await newHome()
  await using server = start(home.path, { PARLEY_OWNER_KEY: OWNER_KEY, PARLEY_LANGUAGE: 'en' })
  const url = await listening(server)
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' }
  const begin = () =>
    fetch(`${url}/api/sessions`, { method: 'POST', headers, body: JSON.stringify({ agent: 'support' }) })
  expect((await begin()).status).toBe(422)
  expect(server.lines.join('\n')).not.toContain('agents')
  await mkdir(join(home.path, 'agents/support'), { recursive: true })
  await writeFile(join(home.path, 'agents/support/instructions.md'), 'Be kind.')
  await server.line(/Agent support/)
  expect((await begin()).status).toBe(200)
})

test('[W12.13.4] a directory of agents that was named and is not there is said', async () => {
  await using home = await newHome()
  await using server = start(home.path, { PARLEY_AGENTS_DIR: 'ours' })
  await server.line(/ours: cannot be read: ENOENT/)
  await listening(server)
})

test('[D9] a file that looks like the configuration and is not read is named, with the one that is', async () => {
  await using home = await newHome({
    'parley.config.json': '{}',
    'parley.config.mjs': 'export default { port: 1 }',
    'parley.config.d.ts': '',
  })
  {
    await using server = start(home.path, { PARLEY_LANGUAGE: 'en' })
    await server.line(/Configuration: .*parley\.config\.json"/)
    await server.line(/parley\.config\.mjs is not read: the configuration is .*parley\.config\.json\./)
    await listening(server)
  }
  await rm(join(home.path, 'parley.config.json'))
  {
    await using server = start(home.path)
    await server.line(
      /parley\.config\.mjs is not read: a configuration file is called parley\.config\.ts, \.js or \.json/,
    )
    await listening(server)
  }
})
