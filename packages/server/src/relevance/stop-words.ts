/** Words that say how somebody asks, and not what about. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also always am an and any anybody anyone anything are as ask at away be because been before being
  best better between both but by can cannot come could d did do does doesn doing don done down each either else etc even
  ever every everything exactly few find first for from get gets getting give given go goes going good got had happen
  happens has have having he hello help her here hers hey hi him his how i if in instead into is isn it its just keep know
  let like ll lot made make makes many may maybe me mean means might mine more most much must my myself need needs never new
  no nor not now of off often ok okay on once one only onto or other others our ours out over own per please possible put
  quite rather re really right s same say see seem shall she should show since so some somebody someone something soon still
  such sure t take tell than thank thanks that the their them then there these they thing things think this those though
  through to too try two under until up us use used using ve very via want wants was way ways we well were what whatever
  when where whether which while who whom whose why will with within without won would yes yet you your yours yourself`.split(
    /\s+/,
  ),
)

/** As the system cuts Chinese into words. */
export const CHINESE_STOP_WORDS: ReadonlySet<string> = new Set(
  `的 了 是 在 我 你 您 他 她 它 们 我们 你们 他们 咱们 自己 和 与 及 或 或者 还是 而 而且 但 但是 就 都 也 还 又 再 很 太 更 最 不 没 没有
  有 会 能 能够 可以 可 应该 应 要 想 想要 需要 得 地 着 过 把 被 给 让 对 从 到 向 往 于 由 用 以 为 因为 所以 如果 要是 的话 那么 那 这
  这个 那个 这些 那些 这样 那样 这里 那里 这儿 哪 哪个 哪些 哪里 哪儿 什么 甚么 啥 怎么 怎样 怎么样 如何 为什么 为何 多少 几 多 吗 呢 吧
  啊 呀 哦 嘛 么 请 请问 请教 一下 一 个 一个 一些 些 有点 只 只是 已经 正在 现在 然后 之后 之前 以后 以前 时候 时 的时候 里 中 上 下
  内 外 前 后 是否 能否 可否 是不是 能不能 可不可以 有没有 要不要 会不会 谢谢 你好 您好 大家 知道 告诉 帮 帮我 帮忙 怎么办 做 去 来 看 说
  问 问题 东西 事 事情 情况 一般 大概 到底 究竟 其实 比如 例如 关于 另外 还有 以及 并 并且 不过 然而 吗 呗 啦 哈 嗯 好 好的 行 下来 起来
  出来 一直 每 每个 各 某 该 本 其 其他 别的 别 刚 刚才 刚刚 就是 都是 还要 还能 还会 这么 那么 多久 多长 多大 多远 几个 何时 谁
  我的 你的 您的 他的 她的 它的 我们的 你们的 他们的 什么时候 什么样 什么地方 几点 几点钟 几号 几月 几天 几次 哪天 哪年 哪位 哪种 这次 那次 多少钱`.split(
    /\s+/,
  ),
)

/** Words of every subject: alone they do not show that a text is about what was asked. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  `afternoon answer bad begin big call change check company day different difference early end evening example explain fast
  free friend great home hour house idea important kind late later learn life live long look love man min minute money month
  morning name nice night number old part people person place plan play point question read run second short small start
  stop story talk time today tomorrow tonight water week weekend word work world write wrong year yesterday young
  今天 明天 昨天 今晚 昨晚 早上 晚上 上午 下午 中午 白天 夜里 每天 天 周 周末 月 年 今年 去年 明年 最近 目前 小时 分钟 时间 公司 单位 家 家里
  学校 工作 生活 朋友 孩子 老师 人 人们 机器 东西 地方 方法 办法 推荐 建议 介绍 解释 区别 意思 原因 原理 选择 比较 合适 喜欢 觉得 认为 开始
  结束 使用 学习 练习 了解 写 读 听 吃 喝 玩 买 卖 走 开 关 大 小 高 低 快 慢 早 晚 长 短 新 旧 钱 名字 数 第一 两 三 次`.split(
    /\s+/,
  ),
)
