import type { Language } from './language.ts'

/** The text of --help: of everything, or of one command. */
export function helpText(language: Language, command?: string): string {
  const text = language === 'zh' ? CHINESE : ENGLISH
  if (command === undefined) return text
  const [, usage = '', options = '', ...rest] = text.trimEnd().split('\n\n')
  const [title, ...lines] = usage.split('\n')
  const own = rest.filter((section) => section.split(/\s/, 1)[0] === command)
  // A server has options and exit codes of its own.
  const common = command === 'serve' ? [] : [options]
  const codes = command === 'serve' ? [] : rest.slice(-1)
  const calls = lines.filter((line) => line.startsWith(`  parley ${command} `))
  return `${[[title, ...calls].join('\n'), ...own, ...common, ...codes].join('\n\n')}\n`
}

const ENGLISH = `parley – chat with agents from the terminal

Usage
  parley serve                              start a server on this machine
  parley chat [--session ID]                chat; streams answers and shows tools, thinking and sub-agents
  parley run "PROMPT" [--schema FILE]       one question, one result
  parley sign-in-link                       a new link that signs the owner in, once, in a browser
  parley keys create NAME | list | revoke ID
  parley users add NAME | list | link NAME | role NAME owner|member | remove NAME
  parley sessions list | show ID | delete ID | export ID | import FILE | share ID | unshare ID
  parley agents list | use NAME VERSION
  parley knowledge add PATH | list | search "QUESTION" | show ID | delete ID
  parley crash [--yes]                      kill the demo server in the middle of an answer, and see it go on

Options
  --url URL          server to use; default: the one running in the data directory.
                     If there is none, run and chat start one in this process
  --key KEY          API key; better in PARLEY_KEY, where other users of the machine cannot see it.
                     Default: the key the server wrote into its data directory
  --data-dir DIR     data directory of the local server (PARLEY_DATA_DIR, else ./.parley)
  --json             print JSON for scripts
  --model MODEL      model for this run or chat
  --agent NAME       agent for this run or chat, where it begins a session
  --language en|zh   language of this command and of what the server says (default: from LANG)
  -h, --help         show this help
  -v, --version      show the version

run
  --schema FILE      JSON Schema the result must satisfy; the result is printed as JSON
  --session ID       run in an existing session
  --timeout SECONDS  stop after this long (default 300)
  --progress         a line per step on standard error: turns, tools and their times, retries. On a terminal
                     it is on (--no-progress: off), in a pipe off; the result on standard output stays as it is
  Without PROMPT, or with "-", the prompt is read from standard input.

chat
  Answer questions with the arrow keys and Enter. Ctrl-C stops the run; press it twice to quit.
  Without a terminal, every line of standard input is a message.

serve
  --host HOST, --port PORT   address to listen on (127.0.0.1, 8020)
  --data-dir DIR             database, workspaces and files (PARLEY_DATA_DIR, else ./.parley)
  The server is started again when it dies. It ends with codes of its own: 0 stopped · 1 a bug ·
  2 configuration · 3 storage · 4 address

sessions list
  --limit N          how many to show (20)     --search TEXT   only sessions that contain TEXT
sessions delete
  --yes              do not ask for confirmation
sessions export, import
  --output FILE      file to write (ID.zip)    --markdown      a file to read instead of a ZIP
  --name TITLE       title of the imported session
sessions share
  --days N           the link works for so long (until unshare, which ends all links of a session)

users
  Who may use this server, for its owners. add: prints an invitation link, which signs somebody in once, within a week;
  link: another one. remove: they are signed out at once, and what they had is deleted. NAME: a name, or an e-mail address.
  --role owner       add: an owner instead of a member     --name TEXT     add: the name that is shown

agents
  The versions of each agent, and how many sessions began with them. use: new sessions get that version,
  back or forward; its first digits are enough. Sessions under way keep theirs.

knowledge
  The documents that answers come from. add: a file, or all of a directory (.md .markdown .txt .html .htm .pdf);
  again, it sends only what is new or changed. A server that starts again meanwhile is waited for, up to a minute.
  --collection NAME  collection to add to (default), or to look in (all)
  --category NAME    category of what is added (each file's first folder), or to look in (all)
  --delete-missing   add: delete documents of the collection whose files are gone from the directory
  --yes              delete: do not ask for confirmation

crash
  Joins the answer that is under way, or asks for one; kills the server with SIGKILL; shows the answer to its end.
  Only for the owner, on the server's machine, with the demo model, under npm start or parley serve.
  --yes              do not ask for confirmation; needed without a terminal

Exit codes
  0 done · 1 the run or request failed · 2 wrong usage · 3 server unreachable
  4 key not accepted · 124 timed out · 130 stopped with Ctrl-C
`

const CHINESE = `parley – 在终端里与智能体对话

用法
  parley serve                              在本机启动服务器
  parley chat [--session ID]                对话；流式显示回答、工具、思考和子智能体
  parley run "提示" [--schema 文件]         一次提问，一个结果
  parley sign-in-link                       打印新的一次性登录链接，供所有者在浏览器中使用
  parley keys create 名称 | list | revoke ID
  parley users add 名称 | list | link 名称 | role 名称 owner|member | remove 名称
  parley sessions list | show ID | delete ID | export ID | import 文件 | share ID | unshare ID
  parley agents list | use 名称 版本
  parley knowledge add 路径 | list | search "问题" | show ID | delete ID
  parley crash [--yes]                      在回答中途杀死演示服务器，看它继续

选项
  --url URL          要连接的服务器；默认为数据目录中正在运行的那个。
                     没有时，run 和 chat 会在本进程中启动一个
  --key KEY          API 密钥；放在 PARLEY_KEY 中更好，本机其他用户看不到。
                     默认：服务器写入其数据目录的密钥
  --data-dir 目录    本机服务器的数据目录（PARLEY_DATA_DIR，否则 ./.parley）
  --json             输出 JSON，供程序使用
  --model 模型       本次运行或对话使用的模型
  --agent 名称       新建会话时使用的智能体
  --language en|zh   本命令及服务器提示所用的语言（默认取自 LANG）
  -h, --help         显示本帮助
  -v, --version      显示版本

run
  --schema 文件      结果必须满足的 JSON Schema；结果以 JSON 输出
  --session ID       在已有会话中运行
  --timeout 秒       超过此时间即停止（默认 300）
  --progress         在标准错误上每一步输出一行：轮次、工具及用时、重试。终端上默认开启（--no-progress 关闭），
                     管道中默认关闭；标准输出上的结果不受影响
  不写提示或写 "-" 时，从标准输入读取提示。

chat
  用方向键和 Enter 回答问题。Ctrl-C 停止运行，连按两次退出。
  没有终端时，标准输入的每一行都是一条消息。

serve
  --host 地址, --port 端口   监听地址（127.0.0.1，8020）
  --data-dir 目录            数据库、工作区和文件（PARLEY_DATA_DIR，否则 ./.parley）
  服务器意外退出时会自动重新启动。它有自己的退出码：0 正常停止 · 1 程序错误 ·
  2 配置 · 3 存储 · 4 地址

sessions list
  --limit N          显示数量（20）     --search 文字   只显示包含该文字的会话
sessions delete
  --yes              不再询问
sessions export、import
  --output 文件      写入的文件（ID.zip）     --markdown      导出为便于阅读的 Markdown，而不是 ZIP
  --name 标题        导入后的会话标题
sessions share
  --days N           链接的有效天数（默认直到 unshare；unshare 会让该会话的所有链接失效）

users
  谁可以使用此服务器，仅限所有者。add：打印邀请链接，一周内有效，只能使用一次；link：再打印一个。
  remove：立即退出登录，并删除其数据。名称可以是名字或电子邮件地址。
  --role owner       add：添加为所有者而不是成员     --name 文字     add：显示的名字

agents
  列出每个智能体的版本，以及各有多少会话使用。use：让新会话使用该版本（回退或前进），
  写出版本号的前几位即可。已有会话保持各自的版本。

knowledge
  回答所依据的文档。add：添加一个文件，或目录中的所有文件（.md .markdown .txt .html .htm .pdf）；
  再次添加时只发送新增和有变化的。其间服务器若重新启动，最多等待一分钟。
  --collection 名称  添加到的集合（default），或查找的集合（全部）
  --category 名称    所添加文档的类别（各文件的第一级文件夹），或查找的类别（全部）
  --delete-missing   add：删除集合中其文件在目录里已不存在的文档
  --yes              delete：不再询问

crash
  加入正在进行的回答，或提出一个；用 SIGKILL 杀死服务器；把回答显示到结尾。
  只限所有者，在服务器所在的机器上，使用演示模型，并由 npm start 或 parley serve 启动。
  --yes              不再询问；没有终端时必须给出

退出码
  0 完成 · 1 运行或请求失败 · 2 用法错误 · 3 连不上服务器
  4 密钥不被接受 · 124 超时 · 130 被 Ctrl-C 停止
`
