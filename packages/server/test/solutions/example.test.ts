import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { Folders } from '../agents/folders.ts'
import { World } from '../wire/world.ts'
import { solutionsOf } from './shop.ts'

// examples/solution, as a newcomer tries it.

const directory = join(import.meta.dirname, '../../../../examples/solution')
const call = (name: string, input: object = {}) => ({ calls: [{ name, arguments: input }] })

test('[W12.7] the example reads a ticket, decides by its rules, and sends the reply once a person agrees', async () => {
  await using tickets = await startTickets('try-me')
  await using folders = await Folders.make()
  await cp(join(directory, 'help-desk'), join(folders.path, 'help-desk'), { recursive: true })
  const document = 'help-desk/skills/tickets/resources/tickets.openapi.yaml'
  const text = await readFile(join(directory, document), 'utf8')
  await folders.write({ [document]: text.replace('http://127.0.0.1:8040', tickets.url) })
  await using world = await World.open('sqlite', { solutionsDir: folders.path })
  const { items, problems } = await solutionsOf(world)
  expect(items.find(({ id }) => id === 'help-desk')).toMatchObject({ roles: [{ id: 'answer' }, { id: 'review' }] })
  expect([problems, world.warnings]).toEqual([undefined, []])

  world.learn({
    'Answer ticket 1.': [
      call('skill__tickets'),
      call('getTicket', { id: '1' }),
      call('skill__refunds'),
      call('replyToTicket', { id: '1', body: { text: 'By rule 2 you get a new one.' } }),
      { text: 'Sent.' },
    ],
    'Review ticket 1.': [call('getTicket', { id: '1' }), { text: 'Rule 2, followed.' }],
  })
  const begin = async (biz_role_id: string) => {
    const body = { solution_id: 'help-desk', biz_role_id, env: { TICKETS_KEY: 'try-me' } }
    return (await world.rest<{ id: string }>('POST', '/api/sessions', { body })).body.id
  }
  const id = await begin('answer')
  await using chat = await world.chat({ session_id: id })
  await chat.run('Answer ticket 1.')
  const { results, tools, system } = world.requests('Answer ticket 1.').at(-1)!
  expect(system).toMatch(/help desk of a shop[^]*Read the ticket before you answer/)
  expect(results[0]).toMatch(/Tools of this skill, which you can call: listTickets, getTicket, replyToTicket/)
  expect(results[1]).toContain('broken handle')
  expect(results[2]).toMatch(/Broken on arrival[^]*references\/warranty\.md/)
  expect(tools).not.toContain('Bash')
  const waiting = await world.rest<{ items: { id: string }[] }>('GET', '/api/confirmations')
  expect(waiting.body.items).toMatchObject([{ tool_name: 'replyToTicket' }])
  expect(tickets.printed).toEqual([])
  await world.rest('POST', `/api/confirmations/${waiting.body.items[0]!.id}`, { body: { decision: 'approve' } })
  await expect.poll(() => tickets.printed).toEqual(['To Anna: By rule 2 you get a new one.'])

  await using review = await world.chat({ session_id: await begin('review') })
  await review.run('Review ticket 1.')
  const reviewed = world.requests('Review ticket 1.').at(-1)!
  expect(reviewed.tools).toContain('getTicket')
  expect(reviewed.tools).not.toContain('replyToTicket')
  expect(reviewed.results[0]).toContain('By rule 2')
  expect(world.errors).toEqual([])
})

async function startTickets(key: string) {
  const program = spawn(process.execPath, [join(directory, 'tickets.mjs')], {
    env: { ...process.env, PORT: '0', TICKETS_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed: string[] = []
  const lines = createInterface({ input: program.stdout })
  const [first] = (await once(lines, 'line')) as [string]
  lines.on('line', (line) => printed.push(line))
  return {
    url: first.slice(first.indexOf('http')),
    printed,
    [Symbol.asyncDispose]: async () => {
      program.kill()
      await once(program, 'exit')
    },
  }
}
