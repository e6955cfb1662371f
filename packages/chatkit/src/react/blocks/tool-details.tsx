import { CodeBlock } from '../../markdown/code-block.tsx'
import type { ToolCall } from '../../model/tool-block.ts'
import { Icon } from '../controls/icon.tsx'
import { useTexts } from '../kit/kit-context.ts'
import { formatValue } from '../texts/format.ts'

/** What went into a call, and what came out. */
export function ToolDetails({ call }: { call: ToolCall }) {
  const texts = useTexts()
  const isText = (value: unknown) => typeof value === 'string'
  return (
    <>
      {call.input === undefined ? null : (
        <CodeBlock code={formatValue(call.input)} title={texts.input} language={isText(call.input) ? '' : 'json'} />
      )}
      {call.error ? (
        <p className="ck-error" role="note">
          <Icon name="warning" />
          {call.error}
        </p>
      ) : null}
      {call.output === undefined ? (
        call.error ? null : (
          <p className="ck-muted">{texts.noOutput}</p>
        )
      ) : call.output === call.error ? null : (
        <CodeBlock code={formatValue(call.output)} title={texts.output} language={isText(call.output) ? '' : 'json'} />
      )}
    </>
  )
}
