import type { InboxConfirmation, PolicyRule } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { previewQuery } from '../../data/inbox.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import { textOf } from './shown-text.tsx'
import { approvalWords } from './words.ts'

const DECISIONS = ['allow', 'ask', 'deny'] as const
/** A longer value is no pattern that anybody means. */
const MAX_PATTERN = 200

/** "Always for this": a rule made of a call, how often it would have counted, and the lines for the configuration. */
export function RuleDialog({ item, onClose }: { item: InboxConfirmation; onClose: () => void }) {
  const words = useWords(approvalWords)
  const format = useFormat()
  const [decision, setDecision] = useState<PolicyRule['decision']>('allow')
  const [patterns, setPatterns] = useState(() =>
    Object.fromEntries(Object.entries(item.arguments).map(([name, value]) => [name, patternOf(value)])),
  )
  const rule = ruleOf(item.tool_name, patterns, decision)
  const { data } = useQuery(previewQuery(useDeferredValue(rule)))
  return (
    <Dialog title={words.ruleTitle} onClose={onClose} actions={<Button onClick={onClose}>{words.close}</Button>}>
      <div className="flex max-h-[70dvh] flex-col gap-4 overflow-y-auto -mx-1 p-1 text-text">
        <p className="text-13 text-muted">{words.ruleAbout}</p>
        <p className="text-13">
          {words.tool}: <span className="font-mono">{item.tool_name}</span>
        </p>
        {Object.entries(patterns).map(([name, pattern]) => (
          <Field key={name} label={name}>
            {(control) => (
              <TextInput
                {...control}
                className="font-mono text-13"
                placeholder={words.anyValue}
                value={pattern}
                onChange={(event) => setPatterns({ ...patterns, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
        <Field label={words.ruleDecision}>
          {(control) => (
            <Select
              {...control}
              value={decision}
              onChange={(event) => setDecision(event.target.value as PolicyRule['decision'])}
            >
              {DECISIONS.map((one) => (
                <option key={one} value={one}>
                  {words.ruleDecisions[one]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <p role="status" className="text-14 font-medium">
          {data ? words.ruleCount(format.number(data.matches), format.number(data.calls)) : words.ruleCounting}
        </p>
        <p className="text-13 text-muted">{words.ruleWhere}</p>
        <pre
          tabIndex={0}
          className="rounded-card border border-line bg-raised p-3 font-mono text-12 [overflow-wrap:anywhere] whitespace-pre-wrap"
        >
          {snippetOf(rule)}
        </pre>
        <div>
          <CopyButton text={snippetOf(rule)} />
        </div>
      </div>
    </Dialog>
  )
}

/** As it was called; what is long, or has stars of its own, the reader writes. */
function patternOf(value: unknown): string {
  const text = textOf(value)
  return text.length > MAX_PATTERN || text.includes('\n') || text.includes('*') ? '' : text
}

/** Arguments without a pattern may be anything. */
function ruleOf(tool: string, patterns: Record<string, string>, decision: PolicyRule['decision']): PolicyRule {
  const given = Object.entries(patterns).filter(([, pattern]) => pattern !== '')
  return { tool, ...(given.length > 0 && { arguments: Object.fromEntries(given) }), decision }
}

function snippetOf({ tool, arguments: given, decision }: PolicyRule): string {
  const parts = [`tool: ${JSON.stringify(tool)}`, ...(given ? [`arguments: ${JSON.stringify(given)}`] : [])]
  return `{ ${parts.join(', ')}, decision: '${decision}' },`
}
