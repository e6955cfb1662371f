/** The text of all loads: mixed Markdown as models write it, in English and Chinese. The same on every run. */

const RIVERS = ['Rhine', 'Elbe', 'Danube', 'Po', 'Seine', 'Tagus', 'Thames']
const PLACES = ['卡布', '科隆', '汉堡', '维也纳', '里昂', '都灵', '伦敦']
const WORDS =
  'the gauge of a river tells how much water there is for barges and how soon a flood may come so people read it every morning'.split(
    ' ',
  )

/** Starts with whole sections and is cut at `length`. */
export function mixedMarkdown(length: number): string {
  const next = numbers(7)
  let text = ''
  for (let i = 1; text.length < length; i++) text += section(i, next)
  return text.slice(0, length)
}

/** `count` messages of `length` characters, each from the start of a section. */
export function mixedMessages(count: number, length: number): string[] {
  const next = numbers(11)
  return Array.from({ length: count }, (_, i) => (section(i, next) + section(i, next)).slice(0, length))
}

type Numbers = (below: number) => number

function section(index: number, next: Numbers): string {
  const river = RIVERS[next(RIVERS.length)]!
  const place = PLACES[next(PLACES.length)]!
  const level = (next(400) / 100).toFixed(2)
  return `## ${index}. The **${river}** near ${place}

${sentence(12, next)} It stood at **${level} m** this morning, *well below* [the mean](https://example.org/${index}). ${sentence(20, next)}

${place}的水位是 **${level} 米**，比昨天低。**注意：**这里的数据未经修正，请参考 \`gauge-${index}\`；~~旧数据。~~已经删除。

- ${sentence(8, next)}
- ${sentence(6, next)} with \`code_${index}\`
  - ${sentence(5, next)}
- 第三点：**「重点」**内容

1. ${sentence(6, next)}
2. ${sentence(9, next)}

| Station | Level | Trend |
| --- | ---: | :---: |
| ${place} | ${level} | **falling** |
| ${river} | ${next(9)}.0${next(9)} | steady |

\`\`\`python
def level_${index}(station: str) -> float:
    # one reading, in metres
    return readings[station][-${1 + next(9)}]
\`\`\`

> ${sentence(14, next)}
> ${sentence(7, next)}

`
}

function sentence(words: number, next: Numbers): string {
  const chosen = Array.from({ length: words }, () => WORDS[next(WORDS.length)]!)
  const text = chosen.join(' ')
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`
}

/** Numbers that look drawn and are not: a linear congruential generator. */
function numbers(seed: number): Numbers {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
