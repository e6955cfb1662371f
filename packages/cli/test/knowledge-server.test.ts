import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDemo } from '../../server/test/start/demo.ts'
import { newHome } from '../../server/test/start/home.ts'
import { emptyFolder } from './command-line.ts'

const FILES = 60

test('[S15.2] an import goes on through a crash of the server, and answers cite what was added until it is deleted', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  await using folder = await emptyFolder({ PARLEY_DATA_DIR: join(home.path, 'data') })
  const docs = join(folder.path, 'docs')
  await mkdir(join(docs, 'harbour'), { recursive: true })
  for (let number = 0; number < FILES; number += 1)
    await writeFile(join(docs, `note-${number}.md`), `# Note ${number}\n\nThis is note number ${number} of many.\n`)
  await writeFile(join(docs, 'harbour', 'mooring.html'), '<h1>Harbour</h1><p>Mooring a yacht costs nine guilders.</p>')
  await writeFile(join(docs, 'broken.pdf'), 'not a PDF at all')

  const { knowledge } = demo.client
  const kept = async () => (await knowledge.list({ collection: 'default', limit: 200 })).items.length
  const { pid } = await demo.possibility()
  const adding = folder.parley(['knowledge', 'add', docs])
  await expect.poll(kept, { interval: 20 }).toBeGreaterThan(2)
  process.kill(pid, 'SIGKILL')
  const { code, output, errors } = await adding
  expect((await demo.possibility()).pid).not.toBe(pid)
  // One that was stored, but whose answer the crash took, is found unchanged when it is sent again.
  expect(code).toBe(1)
  expect(output).toMatch(new RegExp(`1 failed\\.\\n$`))
  expect(errors).toContain('The server does not respond; trying again for a minute …\n')
  expect(errors).toMatch(/^failed broken\.pdf: \S/m)
  expect(await kept()).toBe(FILES + 1)

  await rm(join(docs, 'broken.pdf'))
  const again = await folder.parley(['knowledge', 'add', docs])
  expect(again).toEqual({ code: 0, output: `0 added, 0 changed, ${FILES + 1} unchanged.\n`, errors: '' })

  const question = 'What does mooring a yacht cost?'
  const found = await folder.parley(['knowledge', 'search', question])
  expect(found.output).toMatch(/^[\d.]+ {2}Harbour {2}\S+ · harbour\n.*nine guilders/)
  const asked = await folder.parley(['run', question])
  expect(asked.output).toMatch(/nine guilders/)
  expect(asked.errors).toMatch(/^Sources: \[1\] Harbour/)

  const listed = await folder.parley(['knowledge', 'list', '--category', 'harbour', '--json'])
  const [{ id }] = JSON.parse(listed.output) as [{ id: string }]
  expect((await folder.parley(['knowledge', 'show', id])).output).toContain('Mooring a yacht costs nine guilders.')
  expect(await folder.parley(['knowledge', 'delete', id])).toMatchObject({ code: 0, output: `Deleted ${id}.\n` })
  expect((await folder.parley(['knowledge', 'search', question])).errors).toBe('Nothing found.\n')
  expect((await folder.parley(['run', question])).errors).toBe('')
})
