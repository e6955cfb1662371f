import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/sandbox/sandbox.ts'
import { checkResult, MAX_RESULT_BYTES } from '../../../src/tools/analysis/check-result.ts'
import { languagesHere } from '../../../src/tools/analysis/languages.ts'
import { type ProgramEnd, runProgram } from '../../../src/tools/analysis/run-program.ts'
import { isAlive, NOTE, openPlace, type Place, rightsHere, SECRET, until } from '../../sandbox/rig.ts'
import { PATIENCE } from './programs.ts'

const SMALL = { ...LIMITS, processes: 60 }
const [javascript] = languagesHere()

/** A sandbox, the directory of one analysis, and what runs a program in it. */
async function openAnalysis(rights: Parameters<typeof openPlace>[0], network = false) {
  const place = await openPlace(rights, { limits: SMALL, network, readable: () => [dirname(process.execPath)] })
  const directory = join(place.dataDir, 'workspaces', '.analyses', 'sess_1', '1')
  await mkdir(directory, { recursive: true })
  await writeFile(join(place.workspace, 'mine.txt'), 'my own note')
  if (rights === 'user') giveTo(place)
  const run = async (program: string, more: Partial<Parameters<typeof runProgram>[0]> = {}): Promise<ProgramEnd> => {
    await writeFile(join(directory, 'main.mjs'), program)
    if (rights === 'user') giveTo(place)
    return runProgram({
      ...{ sandbox: place.sandbox, workspace: directory, reads: place.workspace, leaseMs: 5_000, timeLimitMs: 20_000 },
      ...{ command: javascript!.command('./main.mjs'), signal: new AbortController().signal },
      ...more,
    })
  }
  return { ...place, directory, run, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

/** Root lends the place to the user that the sandbox runs as. */
function giveTo({ dataDir }: Place): void {
  if (process.getuid?.() === 0) spawnSync('chown', ['-R', '65534:65534', dataDir])
}

const rights = (await rightsHere()).filter((one) => one !== 'user with sandbox-runtime')

describe.each(rights)('[O13.2] [O16.12] a program, %s,', (right) => {
  test('changes its own directory alone, and reads the session’s files', PATIENCE, async () => {
    await using it = await openAnalysis(right)
    const tries = {
      own: `w('own.txt', '1')`,
      session: `w(process.env.WORKSPACE + '/mine.txt', '1')`,
      beside: `w('../2.txt', '1')`,
      system: `w('/usr/evil', '1')`,
      mine: `r(process.env.WORKSPACE + '/mine.txt')`,
      theirs: `r(${JSON.stringify(join(it.theirs, 'note.txt'))})`,
      analyses: `readdirSync('../..').join()`,
      data: `readdirSync(${JSON.stringify(it.dataDir)}).join()`,
      secrets: `r('/etc/shadow')`,
    }
    const attempts = Object.entries(tries).map(([name, code]) => `t(${JSON.stringify(name)}, () => ${code})`)
    const { stdout } = await it.run(`
      import { readFileSync, readdirSync, writeFileSync as w } from 'node:fs'
      const r = (path) => readFileSync(path, 'utf8')
      const t = (name, act) => { try { console.log(name, act() ?? 'done') } catch (e) { console.log(name, e.code) } }
      ${attempts.join('\n')}`)
    const told = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/ (.*)/s) as [string, string]),
    )
    expect(told.get('own')).toBe('done')
    expect(told.get('session')).toMatch(/^(EROFS|EACCES)$/)
    expect(told.get('system')).toMatch(/^(EROFS|EACCES)$/)
    expect(told.get('mine')).toBe('my own note')
    expect(told.get('theirs')).toMatch(/^(ENOENT|EACCES)$/)
    expect(told.get('analyses')).toMatch(/^(sess_1|E[A-Z]+)$/)
    expect(told.get('data')).toMatch(/^(workspaces|E[A-Z]+)$/)
    expect(stdout).not.toMatch(new RegExp(`${NOTE}|${SECRET}`))
    expect(await readFile(join(it.workspace, 'mine.txt'), 'utf8')).toBe('my own note')
    // Where it could write, it was memory of its own, gone with it.
    expect(await readdir(join(it.directory, '..'))).toEqual(['1'])
  })

  test('finds no variable of the server or the session', PATIENCE, async () => {
    await using it = await openAnalysis(right)
    const { stdout } = await it.run('console.log(Object.keys(process.env).sort().join())')
    expect(
      stdout
        .trim()
        .split(',')
        .filter((name) => !/^(_|SHLVL|PWD|OLDPWD)$/.test(name)),
    ).toEqual(['HOME', 'LANG', 'PATH', 'TMPDIR', 'WORKSPACE'].sort())
  })

  test('reaches nobody, even where commands may', PATIENCE, async () => {
    const server = createServer((_, response) => response.end('reached')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await using it = await openAnalysis(right, true)
    const ended = await it.run(`
      for (const url of [${JSON.stringify(url)}, 'http://1.1.1.1', 'http://169.254.169.254'])
        console.log(await fetch(url, { signal: AbortSignal.timeout(3000) }).then((r) => r.text(), (e) => e.cause?.code ?? e.name))`)
    server.close()
    expect(ended.stdout).not.toContain('reached')
    expect(ended.stdout.trim().split('\n')).toHaveLength(3)
  })

  test('that never ends is ended, with all that it started', PATIENCE, async () => {
    await using it = await openAnalysis(right)
    const token = `token_${process.pid}_${Date.now()}`
    const ended = await it.run(
      `import { spawn } from 'node:child_process'
       for (let n = 0; n < 3; n++) spawn('sleep', ['100'], { detached: true, env: { ...process.env, T: ${JSON.stringify(token)} } })
       console.log('begun'); for (;;);`,
      { timeLimitMs: 2_000 },
    )
    expect(ended).toMatchObject({
      code: -1,
      stdout: 'begun\n',
      stderr: 'TimeoutError: The code execution exceeded the timeout of 2 seconds.',
    })
    await until(() => !isAlive(token), 3_000, 'all of it is gone')
  })

  test('that is interrupted is gone, with all that it started', PATIENCE, async () => {
    await using it = await openAnalysis(right)
    const token = `token_${process.pid}_${Date.now()}`
    const stop = new AbortController()
    const program = it.run(
      `import { spawn } from 'node:child_process'
       spawn('sleep', ['100'], { env: { ...process.env, T: ${JSON.stringify(token)} } }); for (;;);`,
      { signal: stop.signal },
    )
    await until(() => isAlive(token), 10_000, 'it has begun')
    stop.abort(new Error('stopped'))
    await expect(program).rejects.toThrow('stopped')
    await until(() => !isAlive(token), 3_000, 'all of it is gone')
  })

  test('that forks without end is contained', PATIENCE, async () => {
    await using it = await openAnalysis(right)
    const ended = await it.run(
      `import { spawn } from 'node:child_process'
       const bomb = () => { try { spawn(process.execPath, ['main.mjs'], { stdio: 'ignore' }).on('error', () => {}) } catch {} }
       setInterval(bomb, 1)`,
      { timeLimitMs: 5_000 },
    )
    expect(ended.code).not.toBe(0)
    expect(ended.stderr).toMatch(/TimeoutError|too many processes|too much memory|EAGAIN|Cannot fork|Resource/i)
  })

  test('that prints a gigabyte has printed a megabyte', { timeout: 120_000 }, async () => {
    await using it = await openAnalysis(right)
    const before = process.memoryUsage().rss
    const ended = await it.run(
      `import { writeSync } from 'node:fs'
       const chunk = Buffer.alloc(1 << 20, 'x')
       for (let n = 0; n < 1024; n++) for (let at = 0; at < chunk.length; ) try { at += writeSync(1, chunk, at) } catch {}
       console.error('over')`,
      { timeLimitMs: 60_000 },
    )
    expect(ended.stdout).toHaveLength(1024 ** 2)
    expect(ended).toMatchObject({ code: 0, stderr: 'over\n' })
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2)
  })

  test('that takes too much memory is ended', PATIENCE, async () => {
    await using it = await openAnalysis(right)
    const ended = await it.run(`const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1))`)
    expect(ended.code).not.toBe(0)
  })

  test('cannot speak in the runner’s place for anybody but itself', PATIENCE, async () => {
    await using it = await openAnalysis(right)
    const ended = await it.run(`
      import { writeFileSync } from 'node:fs'
      try { writeFileSync('/proc/' + process.ppid + '/fd/1', '["exit",0]\\n[[[[\\n["out",7]\\n{"a":' + '['.repeat(5000)) } catch {}
      process.exit(3)`)
    expect([0, 3]).toContain(ended.code)
  })
})

test.each(await rightsHere())('[O13.2] another workspace may be lent to read, %s', PATIENCE, async (right) => {
  await using place = await openPlace(right)
  const note = join(place.theirs, 'note.txt')
  const command = `cat '${note}'; echo changed > '${note}' || echo refused; echo mine > own.txt && cat own.txt`
  const hidden = await place.run(command)
  expect(hidden.output).not.toContain(NOTE)
  const { output } = await place.run(command, { reads: place.theirs })
  expect(output).toContain(NOTE)
  expect(output).toMatch(/refused\nmine\n$/)
  expect(await readFile(note, 'utf8')).toBe(NOTE)
})

describe('[O13.2] [O13.4] what a program leaves', () => {
  const left = async (prepare: (directory: string) => Promise<unknown>) => {
    await using place = await openPlace(rights[0]!)
    const directory = join(place.dataDir, 'leaving')
    await mkdir(directory)
    await prepare(directory)
    return checkResult(directory)
  }
  const written = (text: string) => left((directory) => writeFile(join(directory, 'result.json'), text))

  test.each<[what: string, text: string, state: string]>([
    ['nothing at all', '', 'bad'],
    ['half of it', '{"echarts_list":[', 'bad'],
    ['a list', '[]', 'bad'],
    ['no list of charts', '{"echarts_list":{}}', 'bad'],
    ['charts that are no objects', '{"echarts_list":[1]}', 'bad'],
    ['more charts than anybody reads', JSON.stringify({ echarts_list: Array.from({ length: 21 }, () => ({})) }), 'bad'],
    ['depth', `{"echarts_list":[${'{"a":'.repeat(60)}1${'}'.repeat(60)}]}`, 'bad'],
    ['depth without end', '['.repeat(1_000_000), 'bad'],
    ['JavaScript', '{"echarts_list":[{"formatter":() => 1}]}', 'bad'],
    ['more than it may', `{"echarts_list":["${'x'.repeat(MAX_RESULT_BYTES)}"]}`, 'bad'],
    ['no charts', '{"echarts_list":[]}', 'ready'],
    ['a function as text', '{"echarts_list":[{"formatter":"() => 1"}]}', 'ready'],
  ])('is looked at as data: %s', async (_what, text, state) => {
    expect((await written(text)).state).toBe(state)
  })

  test('is a file of its own directory: no link, no pipe, no directory', async () => {
    const link = await left((directory) => symlink('/etc/passwd', join(directory, 'result.json')))
    const directory = await left((at) => mkdir(join(at, 'result.json')))
    const pipe = await left(async (at) => spawnSync('mkfifo', [join(at, 'result.json')]))
    expect([link.state, directory.state, pipe.state]).toEqual(['none', 'none', 'none'])
  })
})
