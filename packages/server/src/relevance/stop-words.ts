/** Words that say how somebody asks, and not what about. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also always am an and any anybody anyone anything are as ask at away be because been before being
  best better between both but by can cannot come could d did do does doesn doing don done down each either else etc even
  ever every everything exactly few find first for forget from get gets getting give given go goes going good got had happen
  happens has have having he hello help her here hers hey hi him his how i if in instead into is isn it its just keep know
  let like ll lot made make makes many may maybe me mean means might mine more most much must my myself need needs never new
  no nor not now of off often ok okay on once one only onto or other others our ours out over own per please possible put
  quite rather re really remember right s same say see seem shall she should show since so some somebody someone something soon still
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
  我的 你的 您的 他的 她的 它的 我们的 你们的 他们的 什么时候 什么样 什么地方 几点 几点钟 几号 几月 几天 几次 哪天 哪年 哪位 哪种 这次 那次 多少钱 记住 记得 忘记 忘掉 忘了`.split(
    /\s+/,
  ),
)

/**
 * The words that people use most, whatever they talk about: alone they do not show that a text is about what was asked. How
 * rare a word is in some documents does not tell how rare it is in the language.
 */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  `able act add afternoon age air allow animal answer appear apple area arm art article autumn baby bad bag ball bank base bath beach
  beautiful bed begin believe bike bird black blue board boat body book born box boy bread break breakfast bring brother build bus
  business buy call camera car card care carry cat cause center chair chance change cheap check child children choose church city class
  clean clear close clothes cloud code coffee cold color colour common company compare complete computer consider cook cool corner cost
  country couple course create cross cup cut dad dance dark date daughter day dead deal decide deep develop difference different difficult
  dinner doctor dog door draw dream dress drink drive dry early earth easy eat egg end enjoy enough evening event example expect explain
  eye face fact fall family famous far fast father favorite favourite feel fight fill film final fine finish fire fish fix floor flower fly
  follow food foot form free fresh friend front fruit full fun funny future game garden girl glass god gold grass great green ground
  group grow guess guy hair half hand happy hard hat hate head health hear heart heavy high hill history hit hold holiday home hope horse
  hot hotel hour house huge human hundred idea important inside interesting island job join joke journey keep key kid kill kind king kitchen
  lady land language large last late later laugh law lead learn leave left leg less lesson letter level lie life light line list listen
  little live local long look lose loud love low lunch machine main man map mark market marry matter meal meaning meat meet men message
  middle mile milk million mind minute miss modern moment money month moon morning mother mountain mouth move movie music name nature near
  nice night noise north nose note novel number object ocean office oil old open order orange outside page paint pair paper parent park
  part party pass past pay peace pen people perfect person phone photo picture piece place plan plane plant plate play poem point police
  poor popular power practice prepare present pretty price problem program project pull push question quick quiet race radio rain raise
  reach read ready real reason recommend red relationship rest result rich ride ring rise river road rock room round rule run sad
  safe salt sand save school science sea season seat second secret sell send sense sentence serious set seven several shape share ship shirt
  shoe shop short shoulder side sign similar simple sing sister sit size skill skin sky sleep slow small smart smell smile snow social soft
  son song sort sound soup south space speak special speed spend sport spring square stand star start state station stay steal step stone
  stop store story strange street strong student study stuff subject sugar suggest summer sun surprise sweet swim table talk tall tea teach
  teacher team test text thousand ticket tie time tip tired today tomorrow tonight tool top touch town toy train translate travel tree trip
  trouble true truth turn type understand uncle usually value vegetable video view village visit voice wait wake walk wall war warm wash
  watch water wear weather web website week weekend weight white whole wife wild win wind window winter wish woman women wonder wood word
  work world worry write writing wrong year yellow yesterday young
  今天 明天 昨天 后天 前天 今晚 昨晚 早上 早晨 晚上 上午 下午 中午 白天 夜里 半夜 每天 每年 天 周 星期 周末 月 年 今年 去年 明年 最近 目前 以来 将来 过去
  小时 分钟 时间 时代 春天 夏天 秋天 冬天 天气 下雨 公司 单位 家 家里 家人 家庭 学校 大学 工作 上班 下班 生活 朋友 同事 同学 领导 老板 孩子 小孩 宝宝 爸爸 妈妈
  父母 老婆 老公 女朋友 男朋友 老师 学生 医生 人 人们 真人 别人 机器 机器人 手机 电脑 电话 东西 地方 城市 国家 世界 历史 文化 社会 方法 办法 方式 推荐 建议 介绍
  解释 翻译 总结 区别 意思 意义 原因 原理 结果 选择 比较 合适 喜欢 觉得 认为 希望 相信 忘 开始 结束 使用 学习 练习 了解 理解 研究 分析 解决 处理 改善 提高
  减少 增加 变 变化 发生 出现 发现 准备 计划 决定 帮助 支持 影响 需要 参加 参与 写 读 听 吃 喝 玩 买 卖 走 跑 坐 站 睡 睡觉 开 关 吃饭 早饭 午饭 晚饭 做饭 菜 肉 鱼
  水果 面 米饭 茶 咖啡 酒 水 火 大 小 高 低 快 慢 早 晚 长 短 新 旧 老 年轻 漂亮 好看 好吃 有趣 简单 容易 困难 重要 特别 非常 真的 可能 一定 必须 应当 钱 价格 便宜
  贵 名字 数 数字 数学 英语 语文 第一 两 三 四 五 六 七 八 九 十 百 千 万 次 遍 件 张 本书 书 电影 音乐 歌 游戏 故事 笑话 诗 文章 作文 句子 单词 词 字 题 题目 答案
  问答 代码 程序 函数 数据 文件 网站 网络 图片 照片 视频 衣服 鞋 车 汽车 火车 高铁 飞机 地铁 公交 路 旅游 旅行 出门 回家 北京 上海 房子 房间 门 窗 床 桌子 花 树 草
  猫 狗 鸟 动物 身体 头 眼睛 手 脚 心情 开心 难过 生气 累 压力 健康 减肥 运动 跑步 游泳 锻炼 感冒 发烧 失眠 白 黑 红 绿 蓝 颜色 南 北 东 西 左 右 里面 外面 上面 下面 规定 规则 要求 允许`.split(
    /\s+/,
  ),
)
