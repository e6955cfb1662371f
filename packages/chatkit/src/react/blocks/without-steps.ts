const ITEM = /^\s*(?:[-*+]|\d+[.)、])\s*(?:\[[ x]\]\s*)?/i

/** What a plan says beside its steps: items that only name one are left out, as the steps stand below it anyway. */
export function withoutSteps(plan: string, steps: readonly { title: string }[]): string {
  const titles = new Set(steps.map(({ title }) => plainOf(title)))
  const lines = plan.split('\n').filter((line) => !ITEM.test(line) || !titles.has(plainOf(line.replace(ITEM, ''))))
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

const plainOf = (text: string): string =>
  text
    .replaceAll(/[*_`~]|[\s.。;；:：,，]+$/g, '')
    .trim()
    .toLowerCase()
