import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/engine.ts'
import { backgroundTaskRoutes } from '../../../src/background/background-task-routes.ts'
import { openFace } from '../../face/face.ts'
import { until } from '../../sandbox/rig.ts'
import { openTools } from './tool-rig.ts'

test('[W12.8] background tasks are listed, read and stopped over REST, and nobody else’s exist', async () => {
  await using engine = await openSqlite({ directory: ':memory:', now: Date.now })
  await using rig = await openTools(engine, 'unused')
  const demandSession = (principal: { user_id: string }, id: string) => face.sessions.get(principal, id)
  await using face = await openFace({
    engine,
    features: [(scope) => backgroundTaskRoutes(scope, { tasks: rig.tasks, demandSession })],
  })
  const { session_id } = face
  const workspace = join(rig.directory, 'workspaces', session_id)
  await mkdir(workspace, { recursive: true })
  const command = 'for i in $(seq 150); do echo line $i; done; sleep 60'
  const { task_id } = await rig.tasks.start({ session_id, workspace, env: {}, command })
  const at = `/api/sessions/${session_id}/background-tasks`
  const json = async (method: string, path: string) => {
    const response = await face.request(method, path)
    return { status: response.status, body: await response.json() }
  }

  const running = { task_id, command, status: 'running', exit_code: null, finished_at: null }
  expect(await json('GET', at)).toMatchObject({ status: 200, body: [running] })
  await until(
    async () => (await rig.tasks.read(session_id, task_id, 1)).output === 'line 150\n',
    5_000,
    'it has printed',
  )
  const whole = await json('GET', `${at}/${task_id}`)
  expect(whole).toMatchObject({ status: 200, body: { ...running, truncated: true } })
  expect(whole.body.output.split('\n').slice(0, 1)).toEqual(['line 51'])
  expect((await json('GET', `${at}/${task_id}?tail=2`)).body.output).toBe('line 149\nline 150\n')
  expect((await json('GET', `${at}/${task_id}?tail=0`)).status).toBe(422)

  const stranger = { user_id: 'user_other' }
  const { id: foreign } = await face.sessions.create(stranger, {})
  for (const [method, path] of [
    ['GET', `/api/sessions/${foreign}/background-tasks`],
    ['GET', `/api/sessions/${foreign}/background-tasks/${task_id}`],
    ['POST', `/api/sessions/${foreign}/background-tasks/${task_id}/stop`],
    ['GET', `${at}/bg_unknown`],
    ['POST', `${at}/bg_unknown/stop`],
  ] as const)
    expect((await json(method, path)).status, path).toBe(404)
  expect((await face.request('GET', at, { token: null })).status).toBe(401)

  expect(await json('POST', `${at}/${task_id}/stop`)).toMatchObject({
    status: 200,
    body: { task_id, status: 'stopped' },
  })
  expect(await json('GET', at)).toMatchObject({ body: [{ task_id, status: 'stopped' }] })
})
