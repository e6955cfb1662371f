import { fold, type Labels, withoutRequest } from './wording.ts'

/** A longer text says more than one thing, and what else it says would be lost with the claim. */
const SIMPLE_LENGTH = 80

/**
 * What a sentence is a statement about, where there can be only one answer: "my favourite colour is blue" and "my favourite
 * colour is green" are two about the same. `null` for all else, which is most: a memory that is hidden by mistake is worse
 * than two that disagree, and the model can say itself which one it corrects.
 */
export function claimOf(content: string, { skill_name, record_type, scope, owner }: Labels): string | null {
  if (record_type === 'skill_comment' || content.length > SIMPLE_LENGTH) return null
  const sentence = withoutRequest(fold(content)).replace(/[.!。！\s]+$/u, '')
  if (/[;；。！？!?]|\. /u.test(sentence)) return null
  for (const { pattern, about } of CLAIMS) {
    const found = pattern.exec(sentence)
    // In another language it may be of another life: nobody says the same thing once in each.
    if (found) return JSON.stringify([isChinese(sentence), about(found.groups ?? {}), skill_name, scope, owner])
  }
  return null
}

function isChinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text)
}

type Claim = { pattern: RegExp; about: (groups: Record<string, string>) => string }

const MINE = String.raw`(?:my|our|the user's|user's)`
const ME = String.raw`(?:i|we|the user|user)`
/** Of these, somebody has one. */
const ATTRIBUTES = [
  String.raw`(?:favou?rite|preferred) [\w '-]{1,30}?`,
  String.raw`(?:full |first |last |nick|user|family )?name`,
  String.raw`(?:e-?mail|phone|mobile|postal|home|office|work)? ?(?:address|number|extension)`,
  String.raw`e-?mail|birthday|age|height|weight|shoe size|job|job title|employer|manager|boss|landlord|dentist|doctor`,
  String.raw`home ?town|home city|time ?zone|native language|mother tongue|salary|budget|(?:home|work) office|pronouns`,
].join('|')
const TIME = String.raw`(?:(?:at|on|to) )?(?:\d{1,2}[:.]\d{2}|\d{1,2} ?(?:am|pm|o'clock)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b).*`
const ZH_TIME = String.raw`(?:(?:每)?(?:周|星期)[一二三四五六日天]|(?:上午|下午|早上|晚上|中午|凌晨)|[\d一二三四五六七八九十]{1,3}(?:点|:)).*`

const CLAIMS: readonly Claim[] = [
  {
    pattern: new RegExp(String.raw`^${MINE} (?<what>${ATTRIBUTES}) (?:is|are|changed to|is now)(?: now)? .+$`, 'u'),
    about: ({ what }) => `attribute ${spelling(what!)}`,
  },
  { pattern: new RegExp(String.raw`^(?:${ME} (?:am|is|are) called|call me) .+$`, 'u'), about: () => 'attribute name' },
  { pattern: new RegExp(String.raw`^${ME} (?:now )?(?:lives?|moved) (?:in|to) .+$`, 'u'), about: () => 'home' },
  { pattern: new RegExp(String.raw`^${ME} (?:now )?works? (?:at|for) .+$`, 'u'), about: () => 'employer' },
  {
    pattern: new RegExp(String.raw`^${ME} (?:am|is|are) (?:now )?\d{1,3} years old$`, 'u'),
    about: () => 'attribute age',
  },
  {
    pattern: new RegExp(
      String.raw`^(?:${MINE}|the) (?<what>[\w '-]{1,40}?) (?:is|starts|begins|takes place|(?:has )?moved|was moved)(?: now)? ${TIME}$`,
      'u',
    ),
    about: ({ what }) => `time of ${what}`,
  },
  {
    pattern:
      /^(?:我|用户)(?:现在)?(?<most>最|比较)?(?<how>喜欢|爱|常用|偏好)的(?<what>[^是，,]{1,12})(?:现在)?(?:是|换成了?|改成了?).+$/u,
    about: ({ most = '', how, what }) => `attribute ${most}${how}${what}`,
  },
  {
    pattern:
      /^(?:我|用户)的?(?<what>名字|姓名|昵称|邮箱|电子邮箱|邮件地址|电话|电话号码|手机号|手机号码|地址|住址|生日|年龄|身高|体重|鞋码|职位|公司|领导|直属领导|老板|经理|房东|牙医|家乡|老家|时区|母语|工号|部门)(?:现在)?(?:是|叫|为|改成了?|换成了?)(?!什么|谁|哪).+$/u,
    about: ({ what }) => `attribute ${what}`,
  },
  { pattern: /^(?:我|用户)(?:叫|名叫).{1,20}$/u, about: () => 'attribute 名字' },
  { pattern: /^(?:我|用户|我家)(?:现在|目前)?(?:住在?|搬到了?|搬家到了?).+$/u, about: () => 'home' },
  { pattern: /^(?:我|用户)(?:现在|目前)?在.{2,20}(?:工作|上班|做.{2,12})$/u, about: () => 'employer' },
  { pattern: /^(?:我|用户)(?:今年)?[\d一二三四五六七八九十百]{1,4}岁了?$/u, about: () => 'attribute age' },
  {
    pattern: /^(?:我|用户)(?:现在)?用的(?<what>[^是，,换改]{1,10})(?:是|换成了?|改成了?).+$/u,
    about: ({ what }) => `used ${what}`,
  },
  {
    pattern: new RegExp(
      String.raw`^(?<what>[\p{Script=Han}\w]{2,12}?)(?:的时间)?(?:现在)?(?:是|在|定在|改到了?|改为|改成了?|挪到了?)${ZH_TIME}$`,
      'u',
    ),
    about: ({ what }) => `time of ${what}`,
  },
]

function spelling(what: string): string {
  return what
    .replace('favorite', 'favourite')
    .replace(/\bcolor\b/u, 'colour')
    .trim()
}
