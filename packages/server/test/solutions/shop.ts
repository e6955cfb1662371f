import type { Solution, SolutionList } from '@parley/protocol/rest'
import type { World } from '../wire/world.ts'

/** A directory of solutions with one in it. */
export const SHOP = {
  'shop/solution.yaml': `id: shop
name: The shop
version: 1.2
description: Sells pots.
layout_type: chat-preview
initial_message: What can we do for you?
data: { colour: blue, shelves: [1, 2] }
preview: { url: /shelf.html }
model: fake-model
roles: [seller, buyer]
`,
  'shop/instructions.md': 'This is the shop.\n',
  'shop/roles/seller/role.yaml': `id: seller
name: Seller
description: Sells.
local_skills: [prices]
tools: [Read, Agent, Work]
`,
  'shop/roles/seller/instructions.md': 'You sell.\n',
  'shop/roles/buyer/role.yaml': `name: Buyer
initial_mode: planning
initial_message: What is missing?
local_skills:
  - prices
  - stock
`,
  'shop/skills/prices/SKILL.md': '---\nname: prices\ndescription: What things cost.\n---\nA pot costs 3.\n',
  'shop/skills/stock/SKILL.md': '---\nname: stock\ndescription: What there is.\n---\nSee [[prices]].\n',
}

export async function solutionsOf(world: World, token?: string): Promise<SolutionList> {
  return (await world.rest<SolutionList>('GET', '/api/solutions', token === undefined ? {} : { token })).body
}

export async function solutionOf(world: World, id: string): Promise<Solution | undefined> {
  return (await solutionsOf(world)).items.find((solution) => solution.id === id)
}
