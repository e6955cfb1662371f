import type { Catalogue } from '../../texts/language.ts'
import type { Step } from './first-steps.ts'

type StepWords = { title: string; text: string; action: string }
const en = {
  title: 'The server is running. Say something.',
  about: 'Parley runs agents on your machine and writes every step down before it shows it. This takes about a minute.',
  hello: 'Hello',
  doneIn: (time: string) => `Done in ${time}. It is stored on this server, nowhere else.`,
  done: 'Done.',
  close: 'Close the first steps',
  next: 'Next',
  demo: 'For now a scripted demo model answers.',
  addModel: 'Add a model',
  steps: {
    talk: { title: 'Have a conversation', text: 'Press Enter below.', action: 'Say hello' },
    tool: {
      title: 'Watch a tool run',
      text: 'The agent writes a note in its own folder and reads it back.',
      action: 'Try it',
    },
    approve: {
      title: 'Approve something',
      text: 'It wants to send a message. You decide; only then it runs, once.',
      action: 'Try it',
    },
    embed: {
      title: 'Put the chat on your page',
      text: 'Two lines of HTML, already filled in with this address.',
      action: 'Show',
    },
    survive: {
      title: 'See it survive',
      text: 'Kill the server in the middle of an answer. It goes on.',
      action: 'Try it',
    },
  } satisfies Record<Step, StepWords> as Record<Step, StepWords>,
  demoPrompts: {
    tool: 'Write a note, then read it back',
    approve: 'Do something that needs my confirmation',
    survive: 'Work in five steps, so that I can crash the server',
  },
  prompts: {
    tool: 'Write a short note into the file note.md, then read it back to me.',
    approve: 'Run the command `date` in the shell and tell me what it printed.',
    survive: 'Count slowly from one to forty, in words, one number a line, with a sentence about each.',
  },
}
type Words = typeof en

const zh: Words = {
  title: '服务器已启动，说点什么吧。',
  about: 'Parley 在你自己的机器上运行智能体，每一步先记录、后显示。看懂它大约一分钟。',
  hello: '你好',
  doneIn: (time) => `用时 ${time}。内容只存放在这台服务器上。`,
  done: '完成。',
  close: '关闭第一步',
  next: '下一步',
  demo: '目前由演示模型按脚本作答。',
  addModel: '添加模型',
  steps: {
    talk: { title: '聊一句', text: '在下面按 Enter。', action: '打个招呼' },
    tool: { title: '看工具运行', text: '智能体在自己的目录里写一条笔记，再读回来。', action: '试一试' },
    approve: { title: '审批一次', text: '它想发一条消息。由你决定，同意后只执行一次。', action: '试一试' },
    embed: { title: '放进你的页面', text: '两行 HTML，地址已经填好。', action: '查看' },
    survive: { title: '看它挺过崩溃', text: '在回答中途杀掉服务器，回答会继续。', action: '试一试' },
  },
  demoPrompts: {
    tool: '写一条笔记，然后读回来',
    approve: '做一件需要我确认的事',
    survive: '分五步工作，让我可以让服务器崩溃',
  },
  prompts: {
    tool: '在文件 note.md 里写一条简短的笔记，然后读回来给我。',
    approve: '在命令行里执行 `date`，告诉我它输出了什么。',
    survive: '从一慢慢数到四十，用中文数字，每行一个，每个配一句话。',
  },
}

export const firstStepsWords: Catalogue<Words> = { en, zh }
