import type { Catalogue } from '../../../texts/language.ts'

const en = {
  title: 'Go back to before this message?',
  askTitle: 'Take this message back and ask differently?',
  messages: (count: number) =>
    count === 1
      ? 'This message leaves the conversation, with its answer.'
      : `This message and ${count - 1} later ${count === 2 ? 'one' : 'ones'} leave the conversation, with their answers.`,
  kept: 'They stay on the record, as another version.',
  noFiles: 'The agent wrote no files since then.',
  files: (count: number) =>
    count === 1 ? 'The agent wrote 1 file since then:' : `The agent wrote ${count} files since then:`,
  commands: (count: number) =>
    count === 1
      ? 'One command ran, which may have changed more.'
      : `${count} commands ran, which may have changed more.`,
  withFiles: 'Set the files back, too',
  doGoBack: 'Go back',
  doAskAgain: 'Take back and edit',
  cancel: 'Cancel',
  gone: 'This message is no longer part of the conversation.',
  done: (turns: number) => `${turns === 1 ? 'One turn' : `${turns} turns`} taken back.`,
  filesKept: (why: string) => `The files were left as they are: ${why}`,
}
type Words = typeof en

const zh: Words = {
  title: '回到这条消息之前？',
  askTitle: '收回这条消息，换个问法？',
  messages: (count) =>
    count === 1 ? '这条消息和它的回答会离开对话。' : `这条消息、之后的 ${count - 1} 条消息和它们的回答会离开对话。`,
  kept: '它们作为另一个版本保留在记录中。',
  noFiles: '此后智能体没有写过文件。',
  files: (count) => `此后智能体写过 ${count} 个文件：`,
  commands: (count) => `还执行过 ${count} 条命令，可能改动了别的文件。`,
  withFiles: '文件也恢复到当时',
  doGoBack: '回到这里',
  doAskAgain: '收回并修改',
  cancel: '取消',
  gone: '这条消息已不在对话中。',
  done: (turns) => `已收回 ${turns} 轮。`,
  filesKept: (why) => `文件没有改动：${why}`,
}

export const goBackWords: Catalogue<Words> = { en, zh }
