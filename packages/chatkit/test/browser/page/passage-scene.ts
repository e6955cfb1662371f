/** An answer from documents, and a back end that hands out their passages, loses them, or cannot be reached. */
import type { ChatAdapter } from '../../../src/model/chat-adapter.ts'
import { chatKitError } from '../../../src/model/chat-kit-error.ts'
import type { Block } from '../../../src/model/chat-message.ts'
import type { SourcePassage } from '../../../src/model/display-blocks.ts'

const HOSTILE = '<img src=x onerror="window.__pwned=1">'

export function passageBlocks(isChinese: boolean): Block[] {
  const source = (position: number, title: string, headings: string[]) => ({
    ...{ title, headings, position, id: String(position) },
    ...{ content: 'An excerpt', media: isChinese ? '售后' : 'Support', link: '', icon: '' },
  })
  return [
    {
      type: 'Markdown',
      content: isChinese
        ? '自签收之日起 **30 天**内可以退货[7]，退款在 5 个工作日内到账[8]。运费另计[9]，见 [退货 [7]](https://example.org/x)；`[7]` 和 [3] 不是来源。'
        : 'Goods may be returned within **30 days** of delivery[7], and the refund takes five working days[8]. Postage is extra[9], see [returns [7]](https://example.org/x); `[7]` and [3] are no sources.',
    },
    {
      type: 'Sources',
      content: [
        source(
          7,
          isChinese ? '退货政策' : 'Return policy',
          isChinese ? ['期限', '一般商品'] : ['Deadlines', 'Ordinary goods'],
        ),
        source(8, isChinese ? '退款流程' : 'Refunds', []),
        source(9, isChinese ? '运费说明' : 'Postage', []),
      ],
    },
  ]
}

/** The second document is gone; the third one is reached at the second attempt. */
export function passageSource(isChinese: boolean): NonNullable<ChatAdapter['openSource']> {
  let attempts = 0
  return async ({ sourceID }) => {
    if (sourceID === '8') throw chatKitError('not_found', 'gone')
    if (sourceID === '9' && (attempts += 1) === 1) throw chatKitError('network', 'lost')
    return isChinese ? CHINESE : ENGLISH
  }
}

const ENGLISH: SourcePassage = {
  before: `# Return policy\n\n${'This part is about what was bought before the year 2020. '.repeat(60)}\n\n## Deadlines\n\n`,
  passage: `Goods may be returned within 30 days of delivery. ${HOSTILE}`,
  after: `\n\nSoftware that was opened is not taken back.\n${'And there is more after it. '.repeat(60)}`,
}
const CHINESE: SourcePassage = {
  before: `# 退货政策\n\n${'本节说明二〇二〇年之前购买的商品如何处理。'.repeat(60)}\n\n## 期限\n\n`,
  passage: `自签收之日起 30 天内，商品完好的，可以无理由退货。${HOSTILE}`,
  after: `\n\n已拆封的软件不予退货。\n${'后面还有更多内容。'.repeat(60)}`,
}
