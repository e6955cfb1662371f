import type { Language } from './language.ts'

/** A few thousand characters with every kind of block that a chat has to draw while it streams. */
export function longAnswer(language: Language): string {
  return language === 'zh' ? CHINESE : ENGLISH
}

const CODE = `\`\`\`ts
/** Splits a text into pieces of at most \`size\` characters. */
export function pieces(text: string, size: number): string[] {
  const result: string[] = []
  for (let at = 0; at < text.length; at += size) result.push(text.slice(at, at + size))
  return result
}
\`\`\``

const ENGLISH = `# A long answer

This text comes from the demo model. It is long on purpose, so that you can watch it stream, scroll while it grows, and stop it.

## 1. What streaming is

A language model writes one token after another. A server that waits for the last one makes people wait too. A server that passes each token on shows the first words within a second, and the reader is usually slower than the writer.

- The **first token** tells people that something happens.
- The **rate** decides whether the text feels alive.
- The **end** has to be certain: a text that just stops is not an answer.

## 2. A table

| Step | What happens | What is stored |
|---|---|---|
| 1 | The message is accepted | the message and the run |
| 2 | The model answers | text, every few milliseconds |
| 3 | A tool is called | the call, before it runs |
| 4 | The tool returns | the result, before the model sees it |
| 5 | The run ends | the whole turn |

## 3. Some code

${CODE}

## 4. A quotation and a formula

> First the journal, then the deed.

The sum of the first *n* numbers is $\\frac{n(n+1)}{2}$, and on a line of its own:

$$\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}$$

## 5. A nested list

1. Start the server.
   - It prints its address.
   - It prints a link to sign in.
2. Open the console.
   - Send a message.
   - Watch the turn appear.
3. Stop the server in the middle of an answer, and start it again.
   - The turn that was cut is marked.
   - The run goes on by itself.

## 6. More text, for scrolling

A conversation is a list of events. Events are appended to a journal, and one function folds them into what people see. The same function runs in the server, in the client library and in the console, so the three cannot disagree. When a connection is lost, the client says which event it saw last, and the server sends the rest. When a server is lost, another one reads the journal and goes on from the last point that was stored.

None of this is visible while everything works. It becomes visible when a laptop sleeps, when a network changes, when a process is killed: the text is still there, the tool did not run twice, and the question that was waiting for an answer still waits.

## 7. The end

That was the long answer. **It ends here**, with a full stop.`

const CHINESE = `# 一个很长的回答

这段文字来自演示模型。它是故意写长的，这样你可以看它流式输出、边增长边滚动，也可以中途停止。

## 1. 什么是流式输出

语言模型一个词元接一个词元地写。等到最后一个词元才回答的服务器，也会让人一直等。把每个词元立即传递出去的服务器，一秒之内就能显示最初的几个字，而读的人通常比写的慢。

- **第一个词元**告诉人们：事情正在进行。
- **速度**决定文字是否显得生动。
- **结尾**必须明确：戛然而止的文字不是回答。

## 2. 一个表格

| 步骤 | 发生了什么 | 存储了什么 |
|---|---|---|
| 1 | 消息被接受 | 消息和运行 |
| 2 | 模型回答 | 文字，每隔几毫秒 |
| 3 | 调用工具 | 调用本身，在执行之前 |
| 4 | 工具返回 | 结果，在模型看到之前 |
| 5 | 运行结束 | 整个回合 |

## 3. 一些代码

${CODE}

## 4. 引用和公式

> 先记日志，再做事情。

前 *n* 个数之和是 $\\frac{n(n+1)}{2}$，单独成行：

$$\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}$$

## 5. 嵌套列表

1. 启动服务器。
   - 它打印自己的地址。
   - 它打印一个登录链接。
2. 打开控制台。
   - 发送一条消息。
   - 看着回合出现。
3. 在回答中途停止服务器，再重新启动。
   - 被切断的回合会有标记。
   - 运行自己继续。

## 6. 更多文字，用来滚动

对话是一串事件。事件追加到日志里，由一个函数折叠成人们看到的样子。同一个函数运行在服务器、客户端库和控制台里，所以三者不会不一致。连接断开时，客户端说出它最后看到的事件，服务器把其余的发来。服务器丢失时，另一台读取日志，从最后存储的位置继续。

一切正常时，这些都看不见。当笔记本休眠、网络切换、进程被杀死时，它们才显现出来：文字还在，工具没有执行两次，等待回答的问题仍在等待。

## 7. 结尾

这就是那个很长的回答。**到这里结束。**`
