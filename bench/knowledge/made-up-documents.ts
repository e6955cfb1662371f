/** A document that nobody wrote, and a question that is about it. */
export type MadeUp = { category: string; title: string; content: string; question: string }

const LENGTH = 1_500
const WORDS = 4_000
const SECTIONS = 3

const ONSETS = 'b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w z'.split(' ')
const NUCLEI = 'a e i o u ai ea oo'.split(' ')
const CODAS = 'b ck d ft g l ll m n nd p r rt s st t x'.split(' ')
const LITTLE = 'the of and to in is for on with that this by are be or at'.split(' ')
const CHARACTERS = [
  ...'天地人山水火木金土日月星风雨雷电春夏秋冬东西南北中前后左右上下大小多少高低长短新旧好坏快慢早晚年时分秒公司员工客户订单',
  ...'产品服务支付退款发票合同价格优惠账号密码登录注册设备网络系统数据安全备份恢复升级配置权限审批流程考勤假期工资保险培训会议',
  ...'仓库物流快递签收换货维修保养电池屏幕充电温度湿度噪音清洁滤芯水箱管道阀门楼层电梯停车门禁访客物业缴费阅读借还书籍期刊讲座',
]
const LITTLE_ZH = '的 在 和 了 与 为 是 可 须 应 不 由'.split(' ')

/** Of the same number always the same. Words are drawn as languages draw them: few often, most hardly ever. */
export function madeUpDocument(number: number): MadeUp {
  const random = mulberry32(number + 1)
  const isChinese = number % 2 === 0
  const sentence = isChinese ? () => chineseSentence(random) : () => englishSentence(random)
  const sections = Array.from({ length: SECTIONS }, () => {
    const heading = isChinese
      ? chineseWord(random) + chineseWord(random)
      : `${englishWord(random)} ${englishWord(random)}`
    let body = ''
    while (body.length < LENGTH / SECTIONS) body += sentence()
    return { heading, body }
  })
  const asked = pick(sections, random)
  const content = sections.map(({ heading, body }) => `## ${heading}\n\n${body.trim()}\n`).join('\n')
  const question = isChinese ? `请问${wordsIn(asked, 12)}是怎么规定的？` : `What about ${wordsIn(asked, 48)}?`
  return { category: `category ${number % 20}`, title: `${isChinese ? '文件' : 'Paper'} ${number}`, content, question }
}

/** The heading, and a stretch of the text below it. */
function wordsIn({ heading, body }: { heading: string; body: string }, length: number): string {
  return `${heading} ${body.slice(20, 20 + length).replaceAll(/[。，.]/g, ' ')}`
}

function englishSentence(random: () => number): string {
  const words = Array.from({ length: 8 + Math.floor(random() * 8) }, () =>
    random() < 0.4 ? pick(LITTLE, random) : englishWord(random),
  )
  return `${words.join(' ')}. `
}

function chineseSentence(random: () => number): string {
  const words = Array.from({ length: 6 + Math.floor(random() * 8) }, () =>
    random() < 0.25 ? pick(LITTLE_ZH, random) : chineseWord(random),
  )
  return `${words.join('')}。`
}

function englishWord(random: () => number): string {
  const word = mulberry32(rank(random))
  const syllable = () => pick(ONSETS, word) + pick(NUCLEI, word)
  return syllable() + (word() < 0.6 ? syllable() : '') + pick(CODAS, word)
}

function chineseWord(random: () => number): string {
  const word = mulberry32(1_000_000 + rank(random))
  return pick(CHARACTERS, word) + pick(CHARACTERS, word)
}

/** Zipf's law, nearly: the n-th word comes n times more rarely than the first. */
function rank(random: () => number): number {
  return Math.floor(WORDS ** random())
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)]!
}

function mulberry32(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
