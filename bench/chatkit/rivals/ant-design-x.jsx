/** Ant Design X as its guide puts a chat together: Bubble.List, XMarkdown and Sender, without colours and formulas. */
import '@ant-design/x-markdown/themes/light.css'
import { Bubble, Sender } from '@ant-design/x'
import { XMarkdown } from '@ant-design/x-markdown'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { startHarness } from '../page/harness.ts'

const role = {
  user: { placement: 'end' },
  ai: {
    placement: 'start',
    contentRender: (content, { status }) => (
      <XMarkdown className="x-markdown-light" content={content} streaming={{ hasNextChunk: status === 'updating' }} />
    ),
  },
}

function Chat({ items, onSend }) {
  const [value, setValue] = useState('')
  const submit = (text) => {
    onSend(text)
    setValue('')
  }
  return (
    <div style={{ display: 'flex', flexDirection: 'column', height: '100%' }}>
      <Bubble.List items={items} role={role} autoScroll style={{ flex: 1, minHeight: 0 }} />
      <Sender value={value} onChange={setValue} onSubmit={submit} />
    </div>
  )
}

const contender = {
  async mount(place, messages, onSend) {
    const root = createRoot(place)
    let items = messages.map(({ isUser, text }, i) => ({
      key: i,
      role: isUser ? 'user' : 'ai',
      content: text,
      status: 'success',
    }))
    const render = () => root.render(<Chat items={items} onSend={onSend} />)
    const change = (patch) => {
      items = [...items.slice(0, -1), { ...items.at(-1), ...patch }]
      render()
    }
    render()
    return {
      ask(text) {
        const key = items.length
        items = [
          ...items,
          { key, role: 'user', content: text, status: 'success' },
          { key: key + 1, role: 'ai', content: '', status: 'updating' },
        ]
        render()
      },
      append: (delta) => change({ content: items.at(-1).content + delta }),
      async finish() {
        change({ status: 'success' })
      },
      unmount: () => root.unmount(),
    }
  },
}

startHarness(contender)
