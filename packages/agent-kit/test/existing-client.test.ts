import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { setUp } from '../../client/test/fast-client.ts'
import { KEY } from '../../client/test/scripted-server.ts'

/** A folder of an application whose only change is that the package name leads to ours. */
async function applicationFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'existing-client-'))
  await mkdir(join(folder, 'node_modules/@blade-hq'), { recursive: true })
  await symlink(join(import.meta.dirname, '..'), join(folder, 'node_modules/@blade-hq/agent-kit'))
  await copyFile(join(import.meta.dirname, 'existing-client.mjs'), join(folder, 'main.mjs'))
  return folder
}

test('[W14.3] a program written for the origin runs unchanged: text, tool, question, sub-agent question, stop', async () => {
  await using setup = await setUp()
  const folder = await applicationFolder()
  const env = { ...process.env, BLADE_URL: setup.server.url, BLADE_TOKEN: KEY }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=parley-source', join(folder, 'main.mjs')],
    {
      env,
    },
  )
  await rm(folder, { recursive: true })
  const report = JSON.parse(stdout) as Record<
    string,
    { status: string; live: unknown[]; stored: unknown[] } | undefined
  >

  expect(report['text']).toEqual({
    status: 'completed',
    live: [
      ['user', 'hello'],
      ['assistant', '法国的首都是巴黎。'],
    ],
    stored: report['text']!.live,
  })
  expect(report['typed']).toBe('法国的首都是巴黎。')
  expect(report['tool']!.live).toContainEqual(['assistant', '我来帮你查看...', 'Bash:done'])
  expect(report['question']!.live.at(-1)).toEqual(['assistant', '', 'AskUserQuestion:awaiting_answer'])
  expect(report['answered']!.live.at(-1)).toEqual(['assistant', '部署到 staging。'])
  expect(report['answered']!.live).toContainEqual(['assistant', '', 'AskUserQuestion:done'])
  expect(report['subAgent']!.live).toContainEqual(['child', '清洗前要问一下。', 'AskUserQuestion:awaiting_answer'])
  expect(report).toMatchObject({ openPanel: true, stopAck: { status: 'ok' }, stopped: { status: 'interrupted' } })
  for (const name of ['tool', 'question', 'answered', 'subAgent', 'stopped'])
    expect(report[name]!.live, name).toEqual(report[name]!.stored)
  expect(report).toMatchObject({ failed: 'The provider hung up.', headless: '巴黎' })
  expect(report['rootImport']).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED')
})
