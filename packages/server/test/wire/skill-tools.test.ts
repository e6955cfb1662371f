import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { endOf } from './chat.ts'
import { sharedWorld, World } from './world.ts'

const PATIENCE = { timeout: 60_000, skip: !existsSync('/usr/bin/python3') }
const SKILL = '---\nname: city-map\n---\nHighlight cities with highlight_cities.'
const MAP = `
import json
from langchain_core.tools import tool
from places import name_of

@tool
def highlight_cities(city_ids: list[str], zoom: int = 3) -> str:
    """Highlight cities on the map."""
    print("some noise")
    open("seen.txt", "w").write(",".join(city_ids))
    return json.dumps({
        "ok": True,
        "names": [name_of(each) for each in city_ids],
        "_meta": {"bridge": {"action": "map.highlight", "payload": {"cityIds": city_ids, "zoom": zoom}}},
    }, ensure_ascii=False)
`
const PLACES = 'def name_of(city):\n    return {"hangzhou": "杭州"}.get(city, city)\n'

const world = sharedWorld()

type Where = { session_id: string; name?: string }

const upload = (world: World, { session_id, name = 'acme/city-map' }: Where, files: Record<string, string>) =>
  world.rest('POST', `/api/sessions/${session_id}/skills:upload`, {
    body: {
      name,
      files: Object.entries({ 'SKILL.md': SKILL, ...files }).map(([path, content]) => ({ path, content })),
    },
  })
const withTools = (code: string) => ({ 'tools.py': `from langchain_core.tools import tool\n${code}` })
const offered = (world: World, question: string) =>
  (
    world.requests(question)[0]!.body['tools'] as {
      function: { name: string; description: string; parameters: object }
    }[]
  ).map((each) => each.function)

test(
  '[W12.7] [W7.10] a function of tools.py is offered, runs in the workspace, and its bridge reaches the page, not the model',
  PATIENCE,
  async () => {
    world().learn({
      'show hangzhou': [
        { calls: [{ name: 'highlight_cities', arguments: { city_ids: ['hangzhou'] } }] },
        { text: 'There it is.' },
      ],
    })
    await using chat = await world().chat()
    const uploaded = await upload(world(), { session_id: chat.session_id }, { 'tools.py': MAP, 'places.py': PLACES })
    expect(uploaded).toMatchObject({
      status: 200,
      body: { file_count: 3, tools: [{ name: 'highlight_cities', description: 'Highlight cities on the map.' }] },
    })
    expect(uploaded.body).not.toHaveProperty('tools_problem')
    const run = await chat.run('show hangzhou')
    expect(offered(world(), 'show hangzhou')).toContainEqual({
      name: 'highlight_cities',
      description: 'Highlight cities on the map.',
      parameters: {
        type: 'object',
        properties: {
          city_ids: { type: 'array', items: { type: 'string' } },
          zoom: { type: 'integer', default: 3 },
        },
        required: ['city_ids'],
      },
    })
    const payload = { cityIds: ['hangzhou'], zoom: 3 }
    const turn = endOf(run, 1)
    expect(turn.tool_calls).toMatchObject([{ tool_name: 'highlight_cities', status: 'done' }])
    expect(turn.blocks).toContainEqual(
      expect.objectContaining({
        type: 'tool_bridge',
        content: expect.objectContaining({ action: 'map.highlight', payload }),
      }),
    )
    const [seen] = world().requests('show hangzhou')[1]!.results
    expect(JSON.parse(seen!)).toEqual({ ok: true, names: ['杭州'] })
    const written = await world().rest('GET', `/api/sessions/${chat.session_id}/files/seen.txt`)
    expect(written.body).toBe('hangzhou')
  },
)

test('[W12.7] the decorator in its other forms, async functions and what fails', PATIENCE, async () => {
  const code = `
import asyncio
from typing import Annotated, Literal, Optional
from langchain_core.tools import ToolException

@tool("say-it", description="Says it.")
async def say(text: Annotated[str, "What to say"], loud: Optional[bool] = None, how: Literal["slow", "fast"] = "slow"):
    await asyncio.sleep(0)
    return {"said": text, "how": how}

@tool(description="Fails.")
def fail(reason: str) -> str:
    raise ToolException("because " + reason)

@tool
def slip():
    return {}["nothing"]
`
  world().learn({
    'say something': [
      {
        calls: [
          { name: 'say-it', arguments: { text: 'hi' } },
          { name: 'say-it', arguments: { text: 7 } },
          { name: 'fail', arguments: { reason: 'I must' } },
          { name: 'slip', arguments: {} },
        ],
      },
      { text: 'Done.' },
    ],
  })
  await using chat = await world().chat()
  await upload(world(), { session_id: chat.session_id }, withTools(code))
  const run = await chat.run('say something')
  const parameters = offered(world(), 'say something').find(({ name }) => name === 'say-it')!.parameters
  expect(parameters).toMatchObject({
    properties: {
      text: { type: 'string', description: 'What to say' },
      loud: { anyOf: [{ type: 'boolean' }, { type: 'null' }], default: null },
      how: { enum: ['slow', 'fast'], default: 'slow' },
    },
    required: ['text'],
  })
  expect(endOf(run, 1).tool_calls.map(({ status }) => status)).toEqual(['done', 'error', 'error', 'error'])
  const results = world().requests('say something')[1]!.results
  expect(JSON.parse(results[0]!)).toEqual({ said: 'hi', how: 'slow' })
  expect(results[1]).toMatch(/say-it was called with arguments that do not fit/)
  expect(results[2]).toMatch(/because I must/)
  expect(results[3]).toMatch(/KeyError: 'nothing' \(tools\.py, line \d+\)/)
})

test.each([
  ['a module that is not there', 'import no_such_module', /No module named 'no_such_module'/],
  ['a mistake', 'def broken(:', /SyntaxError/],
  ['an end of its own', 'import os; os._exit(0)', /without an answer/],
  ['a flood', 'import sys\nfor _ in range(3000): sys.stdout.write("x" * 1000)', /more than a megabyte/],
  ['a loop', 'while True: pass', /time limit/],
  ['a name that no model takes', '@tool("nö")\ndef f(): pass', /no name for a tool/],
])(
  '[W12.7] a tools.py with %s: the upload says so, and so does the skill’s text',
  PATIENCE,
  async (what, code, problem) => {
    world().learn({ [what]: [{ calls: [{ name: 'skill__acme__city-map', arguments: {} }] }, { text: 'ok' }] })
    await using chat = await world().chat()
    const { status, body } = await upload(world(), { session_id: chat.session_id }, withTools(code))
    expect({ status, problem: body['tools_problem'] }).toEqual({ status: 200, problem: expect.stringMatching(problem) })
    expect(body).not.toHaveProperty('tools')
    await chat.run(what)
    expect(world().requests(what)[1]!.results[0]).toMatch(/cannot be called here/)
    expect(world().requests(what)[1]!.results[0]).toMatch(problem)
  },
)

test(
  '[D5] listing and calling happen in the sandbox: nothing of the server is there, and no network',
  PATIENCE,
  async () => {
    const code = `
import os, socket
def read(path):
    try:
        return open(path).read()
    except PermissionError: # hidden, or not ours to read in the first place
        return ""
def look():
    home = ${JSON.stringify(world().dataDir)}
    others = [each for each in os.listdir(home) if each != "workspaces" and not each.startswith("skill-tools-")]
    seen = {"data": others, "shadow": read("/etc/shadow")}
    try:
        socket.create_connection(("127.0.0.1", ${new URL(world().url).port}), 2)
        seen["net"] = True
    except OSError:
        seen["net"] = False
    return seen
at_listing = look()

@tool(description=str(at_listing))
def look_around():
    return {"listing": at_listing, "call": look(), "secret": os.environ.get("TOKEN")}
`
    world().learn({ 'look around': [{ calls: [{ name: 'look_around', arguments: {} }] }, { text: 'ok' }] })
    const session_id = await world().newSession({ env: { TOKEN: 'hush' } })
    await using chat = await world().chat({ session_id })
    const { body } = await upload(world(), { session_id }, withTools(code))
    expect(body['tools']).toMatchObject([{ description: "{'data': [], 'shadow': '', 'net': False}" }])
    await chat.run('look around')
    const nothing = { data: [], shadow: '', net: false }
    expect(JSON.parse(world().requests('look around')[1]!.results[0]!)).toEqual({
      listing: nothing,
      call: nothing,
      secret: 'hush',
    })
  },
)

test('[D5] a module that somebody put into the workspace is not the skill’s', PATIENCE, async () => {
  world().learn({ plant: [{ calls: [{ name: 'answer', arguments: {} }] }, { text: 'ok' }] })
  await using chat = await world().chat()
  const code =
    'import importlib.util as find\n@tool\ndef answer():\n    return {"found": [find.find_spec(each) is not None for each in ("planted", "beside")]}'
  await upload(world(), { session_id: chat.session_id }, { ...withTools(code), 'beside.py': '' })
  for (const path of ['planted.py', '.skills/acme/city-map/planted.py'])
    await world().rest('PUT', `/api/sessions/${chat.session_id}/files/${path}`, { body: { content: 'x = 1' } })
  await chat.run('plant')
  expect(JSON.parse(world().requests('plant')[1]!.results[0]!)).toEqual({ found: [false, true] })
})

test('[D5] a function keeps its name unless another tool, another skill or a rule has it', PATIENCE, async () => {
  await using own = await World.open('sqlite', {
    policy: {
      rules: [
        { tool: 'deploy_*', decision: 'allow' },
        { tool: 'wipe', decision: 'deny' },
      ],
      headless: 'fail',
      confirmationMinutes: 15,
    },
  })
  const code = ['Read', 'Agent', 'twice', 'deploy_it', 'wipe', 'free'].map(
    (name) => `@tool\ndef ${name}(): return "ran"`,
  )
  own.learn({ 'wipe it': [{ calls: [{ name: 'wipe', arguments: {} }] }, { text: 'No.' }] })
  await using chat = await own.chat()
  await upload(own, { session_id: chat.session_id, name: 'acme/other' }, withTools('@tool\ndef twice(): return 1'))
  const { body } = await upload(own, { session_id: chat.session_id, name: 'acme/names' }, withTools(code.join('\n')))
  expect((body['tools'] as { name: string }[]).map(({ name }) => name)).toEqual([
    'skill__acme__names__Read',
    'skill__acme__names__Agent',
    'skill__acme__names__twice',
    'skill__acme__names__deploy_it',
    'wipe',
    'free',
  ])
  await chat.run('wipe it')
  const names = offered(own, 'wipe it').map(({ name }) => name)
  expect(names).toContain('skill__acme__other__twice')
  expect(new Set(names).size).toBe(names.length)
  expect(own.requests('wipe it')[1]!.results[0]).toMatch(/not allowed/)
})

test(
  '[W12.7] a configured skill brings its tools to every session, and people are told of them',
  PATIENCE,
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'parley-skills-'))
    await mkdir(join(directory, 'sums'))
    await writeFile(join(directory, 'sums/SKILL.md'), '---\nname: sums\n---\nAdd.')
    await writeFile(
      join(directory, 'sums/tools.py'),
      withTools('@tool\ndef add(a: int, b: int): return a + b')['tools.py'],
    )
    await using own = await World.open('sqlite', { skillDirs: [directory] })
    own.learn({ 'two and three': [{ calls: [{ name: 'add', arguments: { a: 2, b: 3 } }] }, { text: '5' }] })
    await using chat = await own.chat()
    await chat.run('two and three')
    expect(own.requests('two and three')[1]!.results).toEqual(['5'])
    const { body } = await own.rest<{ items: object[] }>('GET', '/api/tools')
    expect(body.items).toContainEqual(
      expect.objectContaining({ name: 'add', provider: 'skill', risk: 'medium', read_only: false, replay: 'never' }),
    )
    expect((await own.rest('GET', '/api/skills/sums')).body).toMatchObject({
      tools: [{ name: 'skill__sums' }, { name: 'add' }],
    })
    expect((await own.rest('GET', `/api/sessions/${chat.session_id}/skill-stats`)).body).toMatchObject({
      loaded: [{ id: 'sums', tool_count: 2, calls: 1 }],
    })
    await rm(directory, { recursive: true })
  },
)

test('[D5] without a sandbox nothing of it runs, and the upload says why', PATIENCE, async () => {
  await using own = await World.open('sqlite', { sandbox: 'none' })
  const { body } = await upload(own, { session_id: await own.newSession() }, { 'tools.py': MAP, 'places.py': PLACES })
  expect(body['tools_problem']).toMatch(/no sandbox/)
})

test('[W12.7] where there is no Python, the result says so', PATIENCE, async () => {
  world().learn({ 'no python': [{ calls: [{ name: 'here', arguments: {} }] }, { text: 'ok' }] })
  const session_id = await world().newSession({ env: { PATH: '/nowhere' } })
  await using chat = await world().chat({ session_id })
  await upload(world(), { session_id }, withTools('@tool\ndef here(): return 1'))
  await chat.run('no python')
  expect(world().requests('no python')[1]!.results[0]).toMatch(/There is no Python 3/)
})

test('[W10.8] a stop ends a function that is at work', PATIENCE, async () => {
  world().learn({ 'sleep long': [{ calls: [{ name: 'sleep_long', arguments: {} }] }, { text: 'never' }] })
  await using chat = await world().chat()
  const code = '@tool\ndef sleep_long():\n    open("begun", "w").close()\n    import time\n    time.sleep(600)'
  await upload(world(), { session_id: chat.session_id }, withTools(code))
  const ack = await chat.send('sleep long')
  const begun = async () => (await world().rest('GET', `/api/sessions/${chat.session_id}/files/begun`)).status === 200
  await expect.poll(begun, { timeout: 30_000 }).toBe(true)
  await chat.stop()
  expect((await chat.ended(ack)).end.status).toBe('interrupted')
})
