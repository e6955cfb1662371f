import type { KnowledgeDocument } from '@parley/protocol/rest'
import { expect } from 'vitest'
import { OWNER_KEY, type World } from '../wire/world.ts'

export const HANDBOOK = `# 员工手册

## 年休假

入职满一年的员工每年有五天年假，满十年的有十天。年假须提前三个工作日在系统里申请，未用完的可以顺延到次年三月底。

## 病假

连续病假超过两天的，须交医院的诊断证明。病假期间发八成工资，全年带薪病假不超过十二天。
`

export const REFUNDS = `# Billing

## Refunds for annual plans

An annual plan is refunded in full within 30 days of the payment. After that, unused months are not paid back.

## Refunds for monthly plans

Monthly plans are not refunded, but can be cancelled at any time; they end with the month that was paid for.
`

/** Adds a document; its id. */
export async function addDocument(
  world: World,
  content: string,
  more: { category?: string; title?: string; collection?: string } = {},
): Promise<string> {
  const { category = 'handbook', ...rest } = more
  const reply = await world.rest<KnowledgeDocument>('POST', '/api/knowledge', { body: { category, content, ...rest } })
  expect(reply).toMatchObject({ status: 201, body: { category, content } })
  return reply.body.id
}

/** Sends a file as it is. */
export async function sendFile(
  world: World,
  query: Record<string, string>,
  [body, type]: [string | Uint8Array, string],
) {
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'content-type': type }
  const address = `${world.url}/api/knowledge/files?${new URLSearchParams(query).toString()}`
  const reply = await fetch(address, { method: 'PUT', headers, body: body as BodyInit })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}
